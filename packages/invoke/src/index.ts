/**
 * Find and execute CNI plugins, probe their versions, delegate to them.
 *
 * @example
 * ```ts
 * import { addPlugin, callPlugin, getVersionInfo, realExec } from '@cni/invoke'
 *
 * const path = ['/opt/cni/bin', '/usr/lib/cni']
 * const { supportedVersions } = await getVersionInfo(realExec().find('loopback', path))
 *
 * const conf = { cniVersion: supportedVersions.at(-1), name: 'lo', type: 'loopback' }
 * const pod = { containerID: 'c1', netns: '/run/netns/c1', ifName: 'lo', path }
 * const { result } = await addPlugin('loopback', conf, pod, { timeout: 10_000 })
 * await callPlugin('DEL', 'loopback', { ...conf, prevResult: result }, pod)
 * ```
 *
 * @module
 */

export type { PluginInput } from './conf.ts'
// Exports for delegation to another plugin
export { type Delegate, type DelegateOptions, type DelegationContext, delegate } from './delegate.ts'
// Exports for the environment of a plugin
export { type PluginCall, pluginEnv } from './env.ts'
// Errors
export { InvokeError, isInvokeError, isPluginError, PluginError } from './errors.ts'
// Interface that runs plugins. Tests use the fake in `@cni/invoke/testing`
export type { Exec, InvokeOptions } from './exec.ts'
export { execPlugin } from './exec-plugin.ts'
export { pluginFailure } from './failure.ts'
// Exports that find a plugin, execute it and read its result
export { ipam, ipamType } from './ipam.ts'
// Exports that execute one plugin as a container runtime does
export { addPlugin, callPlugin } from './plugin.ts'
export { realExec } from './real-exec.ts'
export { type PluginResult, readResult } from './result.ts'
export { getVersionInfo } from './version-info.ts'
