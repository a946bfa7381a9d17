import { CniError, ErrorCode, messageOf } from '@cni/types'
import type { Plugin } from '../definition/plugin.ts'
import { readMarker } from './marker.ts'

/** Effect of the marker next to a plugin's file on a call. */
export interface MarkedCall {
  /** Plugin to run in this call. */
  readonly plugin: Plugin
  /** The plugin's file, if the plugin is uninstalled. The last DEL removes the file. */
  readonly file?: string
  /** Reason why the marker is ignored. */
  readonly problem?: string
}

/**
 * Plugin to run if there is a marker: DEL and GC work as usual, ADD attaches no container, and CHECK does nothing.
 * Ignores an invalid marker, because another user must not disable a plugin.
 */
export function markedCall(plugin: Plugin, file: string, command: string | undefined): MarkedCall {
  try {
    // The marker does not exist any more: the plugin was installed again.
    if (readMarker(file) === undefined) return { plugin }
  } catch (error) {
    return { plugin, problem: messageOf(error) }
  }
  return { plugin: command === 'DEL' || command === 'GC' ? plugin : passingOn(plugin), file }
}

// internal

/**
 * Returns `prevResult` in ADD. A failing ADD would stop every pod from starting while Multus has a copy of the entry.
 */
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
