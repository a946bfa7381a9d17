import type { Verb } from '@cni/types'
import type { PluginInput } from './conf.ts'
import { type PluginCall, pluginEnv } from './env.ts'
import type { InvokeOptions } from './exec.ts'
import { execPlugin, execWithResult } from './exec-plugin.ts'
import { realExec } from './real-exec.ts'
import type { PluginResult } from './result.ts'

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
  return silent('CHECK', type, conf, call, options)
}

/** Finds one plugin and runs DEL. */
export function delPlugin(type: string, conf: PluginInput, call: PluginCall, options?: InvokeOptions): Promise<void> {
  return silent('DEL', type, conf, call, options)
}

/** Finds one plugin and runs GC; only `path` of the call is told to it. */
export function gcPlugin(
  type: string,
  conf: PluginInput,
  call: Pick<PluginCall, 'path'>,
  options?: InvokeOptions,
): Promise<void> {
  return silent('GC', type, conf, { path: call.path }, options)
}

/** Finds one plugin and runs STATUS; only `path` of the call is told to it. */
export function statusPlugin(
  type: string,
  conf: PluginInput,
  call: Pick<PluginCall, 'path'>,
  options?: InvokeOptions,
): Promise<void> {
  return silent('STATUS', type, conf, { path: call.path }, options)
}

/** Runs a verb that prints nothing: what the plugin prints nevertheless is ignored. */
async function silent(
  verb: Verb,
  type: string,
  conf: PluginInput,
  call: PluginCall,
  options: InvokeOptions | undefined,
): Promise<void> {
  await withPlugin(verb, type, call, options, (path, ready) => execPlugin(path, conf, ready))
}

async function withPlugin<T>(
  verb: Verb,
  type: string,
  call: PluginCall,
  options: InvokeOptions = {},
  body: (path: string, options: Parameters<typeof execPlugin>[2]) => Promise<T>,
): Promise<T> {
  const exec = options.exec ?? realExec()
  const path = exec.find(type, call.path)
  return body(path, { ...options, exec, env: pluginEnv(verb, call, options.env) })
}
