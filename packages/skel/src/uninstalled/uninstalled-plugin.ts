import { CniError, ErrorCode, messageOf } from '@cni/types'
import type { Plugin } from '../definition/plugin.ts'
import { readMarker } from './marker.ts'

/** Plugin that a CNI call runs: the plugin itself or a substitute. */
export interface MarkedCall {
  /** Plugin that the CNI call runs: the plugin itself, or its substitute if it is uninstalled. */
  readonly plugin: Plugin
  /** Path of the plugin's executable, set if the plugin is uninstalled. The last DEL removes the file. */
  readonly file?: string
  /** Reason why the marker file is ignored. A valid marker file marks the plugin as uninstalled. */
  readonly problem?: string
}

/** Substitutes an uninstalled plugin, except for DEL and GC. Ignores a marker that another user may have written. */
export function markedCall(plugin: Plugin, file: string, command: string | undefined): MarkedCall {
  try {
    // The marker file is missing, so the plugin is installed.
    if (readMarker(file) === undefined) return { plugin }
  } catch (error) {
    return { plugin, problem: messageOf(error) }
  }
  return { plugin: command === 'DEL' || command === 'GC' ? plugin : passThrough(plugin), file }
}

// internal

/** Creates the substitute. Its ADD returns `prevResult`: Multus may still call the plugin, and pods must start. */
function passThrough({ name, versions, timeout, goCompat }: Plugin): Plugin {
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
