import { join } from 'node:path'
import { tempBpffs } from '../../../ebpf/test/bpffs.ts'
import { openEbpfSide } from '../../src/ebpf/open-ebpf-side.ts'
import type { NodePod } from '../../src/kernel-side.ts'
import type { Variant } from '../../src/objects/objects.ts'
import { addresses, ptpNode } from '../ptp-node.ts'

/** Test node with its own folder of eBPF pins. Disposal removes the node and the folder. */
export type EbpfNode = Awaited<ReturnType<typeof ebpfNode>>

/** Creates a test node for eBPF redirection. No ztunnel serves the node yet. */
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
    /** Lists the names of the tc filters on a link of the test node, sorted. */
    hooksOf: async (link: string) => (await node.rtnl.getFilters({ link })).map(({ name }) => name).toSorted(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
