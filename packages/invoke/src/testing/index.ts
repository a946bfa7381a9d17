/**
 * Replaces plugins by functions, for tests without processes.
 *
 * @example
 * ```ts
 * import { addPlugin } from '@cni/invoke'
 * import { fakeExec } from '@cni/invoke/testing'
 *
 * const exec = fakeExec({ bridge: { ADD: { cniVersion: '1.1.0', ips: [{ address: '10.1.0.2/24' }] } } })
 * const conf = { cniVersion: '1.1.0', name: 'net', type: 'bridge' }
 * await addPlugin('bridge', conf, { containerID: 'c1', netns: '/ns', ifName: 'eth0', path: ['/bin'] }, { exec })
 * exec.calls[0]?.env.CNI_CONTAINERID // 'c1'
 * ```
 *
 * @module
 */

export { type FakeCall, fakeExec, outcome } from './fake-exec.ts'
