import { join } from 'node:path'
import { tempBpffs } from '../../../ebpf/test/bpffs.ts'
import { type OpenEbpfSide, openEbpfSide } from '../../src/ebpf/open-ebpf-side.ts'
import type { NodePod } from '../../src/kernel-side.ts'
import type { Variant } from '../../src/objects/objects.ts'
import { addresses, type PtpNode, ptpNode } from '../ptp-node.ts'

/** A node with a folder of its own for what is pinned; both go with the stack. */
export interface EbpfNode extends AsyncDisposable {
  readonly node: PtpNode
  /** Where the objects of its sides are pinned: nothing is there yet. */
  readonly pins: string
  /** What else ends with it. */
  readonly stack: AsyncDisposableStack
  newSide(variant?: Variant): OpenEbpfSide
  podOf(name: 'app' | 'srv' | 'other'): NodePod
  /** The names of the filters of a link of the node, in order of the alphabet. */
  hooksOf(link: string): Promise<(string | undefined)[]>
}

/** A node by eBPF on which nothing is started. */
export async function ebpfNode(network: 'ptp' | 'bridge' = 'ptp'): Promise<EbpfNode> {
  await using starting = new AsyncDisposableStack()
  const pins = join(starting.use(tempBpffs()).path, 'ambient')
  const node = starting.use(await ptpNode(network))
  const stack = starting.move()
  return {
    node,
    pins,
    stack,
    newSide: (variant) => openEbpfSide({ netns: node.at.node, pins, variant }),
    podOf: (name) => ({ uid: name, addresses: [addresses[name]], netns: node.at[name] }),
    hooksOf: async (link) => (await node.rtnl.getFilters({ link })).map(({ name }) => name).toSorted(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
