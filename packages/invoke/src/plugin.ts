import type { Verb } from '@cni/types'
import type { PluginInput } from './conf.ts'
import { type PluginCall, pluginEnv } from './env.ts'
import type { InvokeOptions } from './exec.ts'
import { execPlugin, execWithResult } from './exec-plugin.ts'
import { realExec } from './real-exec.ts'
import type { PluginResult } from './result.ts'

/**
 * Finds one plugin and runs its ADD, as a container runtime does. Does not cache the result.
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

/**
 * Finds one plugin and runs a verb without a result, such as DEL. The `conf` of CHECK should have a `prevResult`. GC
 * and STATUS use only the `path` of the call.
 *
 * @example
 * ```ts
 * await callPlugin('DEL', 'loopback', { ...conf, prevResult: result }, call)
 * ```
 */
export async function callPlugin(
  verb: Exclude<Verb, 'ADD'>,
  type: string,
  conf: PluginInput,
  call: PluginCall,
  options?: InvokeOptions,
): Promise<void> {
  const passed = verb === 'GC' || verb === 'STATUS' ? { path: call.path } : call
  await withPlugin(verb, type, passed, options, (path, ready) => execPlugin(path, conf, ready))
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
