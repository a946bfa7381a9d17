import { join } from 'node:path'
import { tempBpffs } from '../../../ebpf/test/bpffs.ts'
import { openEbpfSide } from '../../src/ebpf/open-ebpf-side.ts'
import type { NodePod } from '../../src/kernel-side.ts'
import type { Variant } from '../../src/objects/objects.ts'
import { addresses, ptpNode } from '../ptp-node.ts'

/** A node with a folder of its own for what is pinned; both go with the stack. */
export type EbpfNode = Awaited<ReturnType<typeof ebpfNode>>

/** A node by eBPF on which nothing is started. */
export async function ebpfNode(network: 'ptp' | 'bridge' = 'ptp') {
  await using starting = new AsyncDisposableStack()
  const pins = join(starting.use(tempBpffs()).path, 'ambient')
  const node = starting.use(await ptpNode(network))
  const stack = starting.move()
  return {
    node,
    pins,
    stack,
    newSide: (variant?: Variant) => openEbpfSide({ netns: node.at.node, pins, variant }),
    podOf: (name: 'app' | 'srv' | 'other'): NodePod => ({
      uid: name,
      addresses: [addresses[name]],
      netns: node.at[name],
    }),
    /** The names of the filters of a link of the node, in order of the alphabet. */
    hooksOf: async (link: string) => (await node.rtnl.getFilters({ link })).map(({ name }) => name).toSorted(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
