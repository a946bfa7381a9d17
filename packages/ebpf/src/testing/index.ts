/**
 * Fake eBPF in memory, without a kernel and without root, for tests.
 *
 * @example
 * ```ts
 * import { attachFilter, hashMap, int, ipv4 } from '@cni/ebpf'
 * import { fakeEbpf } from '@cni/ebpf/testing'
 * import { fakeRtnl } from '@cni/netns/testing'
 *
 * const bpf = fakeEbpf()
 * using pods = bpf.createMap(hashMap({ name: 'pods', key: ipv4, value: int('u32'), maxEntries: 8 }))
 * pods.set('10.0.0.5', 3)
 * using program = bpf.load({ name: 'count', instructions: new Uint8Array(16), license: 'Apache-2.0' })
 * export const { attached } = await attachFilter(fakeRtnl(), { link: 'lo', direction: 'ingress', program })
 * ```
 *
 * @module
 */

export { fakeEbpf } from './fake-ebpf.ts'
