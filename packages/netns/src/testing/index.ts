/**
 * Temporary namespaces for tests, and fakes for tests without root.
 *
 * @example
 * ```ts
 * import { netns } from '@cni/netns'
 * import { tempNetns } from '@cni/netns/testing'
 *
 * export async function nothingListens() {
 *   await using pod = await tempNetns()
 *   const { stdout } = await netns.exec(pod, ['ss', '-Hln'])
 *   return stdout === ''
 * }
 * ```
 *
 * @module
 */

export { fakeConntrack } from './fake-conntrack.ts'
export { fakeSysctl } from './fake-sysctl.ts'
export { ownedNetns } from './owned-netns.ts'
export { fakeRtnl } from './rtnl/fake-rtnl.ts'
export { tempNetns } from './temp-netns.ts'
