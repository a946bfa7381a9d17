import { CniError, ErrorCode } from '../errors.ts'
import { isObject, kindOf } from '../json/json.ts'
import type { NetConf } from './net-conf.ts'
import { misfitForRuntime } from './plugin-members.ts'

/** Configuration of one plugin in a network configuration list, without the keys that the runtime adds. */
export interface PluginConf extends Omit<NetConf, 'name'> {
  type: string
  name?: string
  [member: string]: unknown
}

/** Validates a plugin's `type` and the keys that a runtime reads. Throws a {@link CniError} with code 7. */
export function assertPluginConf(plugin: unknown, prefix: string): asserts plugin is PluginConf {
  const problem = problemOf(plugin)
  if (problem !== undefined) throw new CniError(ErrorCode.invalidNetworkConfig, `${prefix}: ${problem}`)
}

function problemOf(plugin: unknown): string | undefined {
  if (!isObject(plugin)) return `expected an object, got ${kindOf(plugin)}`
  return misfitForRuntime(plugin) ?? (plugin.type ? undefined : "missing 'type'")
}
