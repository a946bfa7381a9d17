import type { Verb } from '@cni/types'
import type { PluginInput } from './conf.ts'
import { type PluginArgs, pluginEnv } from './env.ts'
import type { InvokeOptions } from './exec.ts'
import { type ExecPluginOptions, execWithoutResult, execWithResult } from './exec-plugin.ts'
import { realExec } from './real-exec.ts'
import type { PluginResult } from './result.ts'

/** One plugin, as a runtime executes it: which attachment, and where plugins are. */
export interface PluginCall extends PluginArgs {
  readonly path: readonly string[]
}

/**
 * Finds one plugin and runs ADD: a chain of one, without cache or derived configuration.
 *
 * @example
 * ```ts
 * const { result } = await addPlugin('loopback', { cniVersion: '1.0.0', name: 'lo', type: 'loopback' }, {
 *   containerID: 'c1', netns: '/run/netns/c1', ifName: 'lo', path: ['/usr/lib/cni'],
 * })
 * ```
 */
export function addPlugin(
  type: string,
  conf: PluginInput,
  call: PluginCall,
  options: InvokeOptions = {},
): Promise<PluginResult> {
  return withPlugin('ADD', type, call, options, (path, ready) => execWithResult(path, conf, ready))
}

/** Finds one plugin and runs CHECK; `conf` should hold the `prevResult`. */
export function checkPlugin(type: string, conf: PluginInput, call: PluginCall, options?: InvokeOptions): Promise<void> {
  return withPlugin('CHECK', type, call, options, (path, ready) => execWithoutResult(path, conf, ready))
}

/** Finds one plugin and runs DEL. */
export function delPlugin(type: string, conf: PluginInput, call: PluginCall, options?: InvokeOptions): Promise<void> {
  return withPlugin('DEL', type, call, options, (path, ready) => execWithoutResult(path, conf, ready))
}

/** Finds one plugin and runs GC; only `path` of the call is told to it. */
export function gcPlugin(
  type: string,
  conf: PluginInput,
  call: Pick<PluginCall, 'path'>,
  options?: InvokeOptions,
): Promise<void> {
  const only = { path: call.path }
  return withPlugin('GC', type, only, options, (path, ready) => execWithoutResult(path, conf, ready))
}

/** Finds one plugin and runs STATUS; only `path` of the call is told to it. */
export function statusPlugin(
  type: string,
  conf: PluginInput,
  call: Pick<PluginCall, 'path'>,
  options?: InvokeOptions,
): Promise<void> {
  const only = { path: call.path }
  return withPlugin('STATUS', type, only, options, (path, ready) => execWithoutResult(path, conf, ready))
}

async function withPlugin<T>(
  verb: Verb,
  type: string,
  call: PluginCall,
  options: InvokeOptions = {},
  body: (path: string, options: ExecPluginOptions) => Promise<T>,
): Promise<T> {
  const exec = options.exec ?? realExec()
  const path = exec.find(type, call.path)
  return body(path, { ...options, exec, env: pluginEnv(verb, call, options.env) })
}
