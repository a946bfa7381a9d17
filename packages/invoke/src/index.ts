/**
 * Find and execute CNI plugins, probe their versions, delegate to them.
 *
 * @example
 * ```ts
 * import { addPlugin, delPlugin, findInPath, getVersionInfo } from '@cni/invoke'
 *
 * const path = ['/opt/cni/bin', '/usr/lib/cni']
 * const { supportedVersions } = await getVersionInfo(findInPath('loopback', path))
 *
 * const conf = { cniVersion: supportedVersions.at(-1), name: 'lo', type: 'loopback' }
 * const pod = { containerID: 'c1', netns: '/run/netns/c1', ifName: 'lo', path }
 * const { result } = await addPlugin('loopback', conf, pod, { timeout: 10_000 })
 * await delPlugin('loopback', { ...conf, prevResult: result }, pod)
 * ```
 *
 * @module
 */

export type { Verb } from '@cni/types'
export type { PluginInput } from './conf.ts'
// One plugin on behalf of another
export {
  type Delegate,
  type DelegateOptions,
  type DelegationContext,
  type DelegationOutcome,
  delegate,
} from './delegate.ts'
// Environment and configuration
export {
  delegateEnv,
  type Environment,
  formatCniArgs,
  type PluginArgs,
  pluginEnv,
  splitCniPath,
} from './env.ts'
// Errors
export {
  InvokeError,
  type InvokeErrorCode,
  isInvokeError,
  isPluginError,
  PluginError,
  type PluginErrorFacts,
  type PluginFailure,
} from './errors.ts'
// The port to processes; its fake is in `@cni/invoke/testing`
export type { Exec, ExecOutcome, ExecRequest, InvokeOptions } from './exec.ts'
export { type ExecPluginOptions, execPlugin, execWithoutResult, execWithResult } from './exec-plugin.ts'
export { pluginFailure } from './failure.ts'
// Find, execute, read
export { findInPath } from './find.ts'
export { ipam, ipamType } from './ipam.ts'
export { type Execution, observeExec } from './observe-exec.ts'
// One plugin, the way a runtime runs it
export { addPlugin, checkPlugin, delPlugin, gcPlugin, type PluginCall, statusPlugin } from './plugin.ts'
export { type RealExecOptions, realExec } from './real-exec.ts'
export { type PluginResult, readResult } from './result.ts'
export { getVersionInfo, type VersionInfo } from './version-info.ts'
