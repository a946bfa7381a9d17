import { join as path } from 'node:path'
import { startTransparentZtunnel } from '@cni/istio-redirect/testing/node'
import { netns } from '@cni/netns'
import { tempBpffs } from '../../../packages/ebpf/test/bpffs.ts'
import { openEbpfSide } from '../../../packages/istio-node-level/src/ebpf/open-ebpf-side.ts'
import { iptablesSide } from '../../../packages/istio-node-level/src/iptables/iptables-side.ts'
import type { KernelSide } from '../../../packages/istio-node-level/src/kernel-side.ts'
import { tunnelKind } from '../../../packages/istio-node-level/test/kinds.ts'
import { addresses, type PtpNode, ptpNode } from '../../../packages/istio-node-level/test/ptp-node.ts'
import { enrolNamespace } from '../../../packages/istio-redirect/src/agent/ambient/namespace/enrol-namespace.ts'
import { podProxy } from '../../../packages/istio-redirect/src/testing/node/ztunnel/pod-proxy.ts'
import { everything } from '../../../packages/istio-rules/test/goldens/ambient/cases.ts'
import { startTrafficServer } from './traffic.ts'

/** A node with two pods. Only the pod `app` joins the mesh. */
export interface ModeNode {
  readonly name: string
  readonly node: PtpNode
  /** Returns the number of connections that have passed the stand-in for ztunnel. */
  passed(): number
}

/** Adds the pod `app` to the mesh until the caller disposes `stack`. */
type Join = (node: PtpNode, stack: AsyncDisposableStack) => Promise<ModeNode['passed']>

/** Mode without a mesh: the reference with which the report compares the other modes. */
export const NO_MESH = 'without a mesh'

/** Map from a mode of joining the mesh to its function. Each function returns a counter of ztunnel's connections. */
const modes: Readonly<Record<string, Join>> = {
  [NO_MESH]: async () => () => 0,
  'in pods': async ({ at }, stack) => {
    let passed = 0
    await enrolNamespace(at.app, everything)
    const onForward = (): void => {
      passed += 1
    }
    // Opens a second handle for the stand-in proxy, which closes its own handle at its end.
    stack.defer(podProxy(netns.open(`/proc/self/fd/${at.app.fd}`), { open: new Set(), onForward }))
    return () => passed
  },
  'node-iptables': async (node, stack) =>
    await byNode(
      node,
      stack,
      iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel: await tunnelKind() }),
    ),
  'node-ebpf': async (node, stack) => {
    const pins = path(stack.use(tempBpffs()).path, 'ambient')
    const side = openEbpfSide({ netns: node.at.node, pins })
    // The disposal runs in reverse order: eBPF programs are removed before the folder in which the programs are pinned.
    stack.defer(() => side.stop())
    return await byNode(node, stack, side)
  },
}

/** Creates one node for each measured mode, all in parallel. */
export async function modeNodes(stack: AsyncDisposableStack): Promise<ModeNode[]> {
  const nodes: ModeNode[] = []
  for (const [name, join] of Object.entries(modes)) {
    const node = stack.use(await ptpNode())
    for (const pod of [node.at.app, node.at.srv]) stack.use(await startTrafficServer(pod))
    nodes.push({ name, node, passed: await join(node, stack) })
  }
  return nodes
}

// internal

async function byNode(node: PtpNode, stack: AsyncDisposableStack, side: KernelSide): ReturnType<Join> {
  const ztunnel = stack.use(startTransparentZtunnel(node.at.zt))
  await side.start(node.ztunnel)
  await side.addPod({ uid: 'app', addresses: [addresses.app], netns: node.at.app })
  return () => ztunnel.forwarded.length
}
