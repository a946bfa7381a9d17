/**
 * Fake of the kernel's nf_tables that speaks netlink, for tests without root.
 *
 * @example
 * ```ts
 * import { Batch } from '@cni/nftables/wire'
 * import { fakeKernel } from '@cni/nftables/testing'
 *
 * const kernel = fakeKernel({ fail: ({ what }) => (what === 'add rule' ? 'ENOMEM' : undefined) })
 * const chain = { family: 'ip', table: 'ex', chain: 'c' } as const
 * export const add = () =>
 *   kernel.open().commit(new Batch().addTable(chain).addChain(chain).addRule({ ...chain, expressions: [] })) // throws
 * ```
 *
 * @module
 */

export { type FakeKernel, fakeKernel } from './fake-kernel.ts'
