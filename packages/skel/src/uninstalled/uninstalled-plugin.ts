import { CniError, ErrorCode, messageOf } from '@cni/types'
import type { Plugin } from '../definition/plugin.ts'
import { readMarker } from './marker.ts'

/** What the marker next to a plugin's file makes of a call. */
export interface MarkedCall {
  /** The plugin as it acts in this call. */
  readonly plugin: Plugin
  /** The plugin's file, if the plugin is uninstalled: the last DEL removes the file. */
  readonly file?: string
  /** Set if the marker is ignored. */
  readonly problem?: string
}

/**
 * The plugin of a call that found a marker. It deletes as ever; it attaches no container, and there is nothing to check.
 * An invalid marker is ignored: another user must not switch a plugin off.
 */
export function markedCall(plugin: Plugin, file: string, command: string | undefined): MarkedCall {
  try {
    // removed since: the plugin was installed again
    if (readMarker(file) === undefined) return { plugin }
  } catch (error) {
    return { plugin, problem: messageOf(error) }
  }
  return { plugin: command === 'DEL' || command === 'GC' ? plugin : passingOn(plugin), file }
}

// internal

/** Passes the result on: a failing ADD would keep every pod from starting while Multus has a copy of the entry. */
function passingOn({ name, versions, timeout, goCompat }: Plugin): Plugin {
  return {
    name,
    ...(versions && { versions }),
    ...(timeout !== undefined && { timeout }),
    ...(goCompat !== undefined && { goCompat }),
    removal: 'always',
    add({ log, prevResult }) {
      const what = `${name} was uninstalled from this node and attaches no container`
      if (prevResult === undefined) throw new CniError(ErrorCode.pluginNotAvailable, what, { hint: HINT })
      log.warn(`${what}: the result of the plugins before it is passed on`, { hint: HINT })
      return prevResult
    },
  }
}

const HINT =
  'remove the plugin from the network configuration, also from the delegates of Multus, or install the plugin again'
