import { netns } from '@cni/netns'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { times } from '../../../test/deep.ts'
import { iptablesSide } from '../src/iptables/iptables-side.ts'
import type { KernelSide, NodeZtunnel } from '../src/kernel-side.ts'
import type { TunnelKind } from '../src/names.ts'
import { everything } from './everything.ts'
import { tunnelKind } from './kinds.ts'
import { addresses, type PtpNode, ptpNode, startServers } from './ptp-node.ts'
import { answerOf } from './sockets.ts'

vi.setConfig({ testTimeout: 600_000 })

/** Number of moments of a start at which ztunnel dies. */
const deaths = times(3)

let stack: AsyncDisposableStack
let node: PtpNode
let kind: TunnelKind
let made = 0
/** Duration of a start, in milliseconds. */
let tookMs = 0
beforeAll(async () => {
  stack = new AsyncDisposableStack()
  node = stack.use(await ptpNode())
  stack.use(startServers(node, [8080]))
  kind = await tunnelKind()
})
afterAll(() => stack.disposeAsync())

const newSide = (): KernelSide =>
  iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel: kind, backend: 'iptables-nft' })

/** Creates a ztunnel that can be killed. Its death deletes its veth, and with it the routes to ztunnel. */
async function mortal(): Promise<{ readonly ztunnel: NodeZtunnel; kill(afterMs: number): Promise<unknown> }> {
  made += 1
  const [name, ip] = [`m${made}`, `10.60.1.${made}`]
  const ztunnel = { ...node.ztunnel, uid: name, name: `istio-system/${name}`, ip, netns: await node.pod(name, ip) }
  // Deletes the veth in another process, because netlink calls block this one until they are done.
  const kill = (afterMs: number) =>
    netns.exec(node.at.node, ['sh', '-c', `sleep ${afterMs / 1000} && ip link del v${name}`])
  return { ztunnel, kill }
}

/** Starts a ztunnel and kills it during the start. `part` is the moment, as a part of the usual duration. */
async function startOf(side: KernelSide, part: number): Promise<unknown> {
  const { ztunnel, kill } = await mortal()
  const killed = kill(tookMs * part)
  const outcome = await side.start(ztunnel).then(
    () => undefined,
    (error: unknown) => error,
  )
  await killed
  return outcome
}

// The first half of the duration is enough, because the killing process needs time to start itself.
const instants = Array.from({ length: deaths }, (_, at) => at / deaths / 2)

test('a ztunnel that dies during its start causes NO_ROUTE and leaves nothing, or is started and pods cannot bypass it', async () => {
  const before = await everything(node.at.node)
  // The first start of a process takes longer than later ones.
  for (let times = 0; times < 2; times += 1) {
    const side = newSide()
    const { ztunnel, kill } = await mortal()
    const begun = performance.now()
    await side.start(ztunnel)
    tookMs = performance.now() - begun
    await kill(0)
    await side.stop()
  }
  expect(await everything(node.at.node)).toBe(before)
  for (const part of instants) {
    const side = newSide()
    const error = await startOf(side, part)
    if (error !== undefined) {
      expect(error).toMatchObject({ code: 'NO_ROUTE' })
      expect(await everything(node.at.node)).toBe(before)
    }
    // The rules and routes that remain keep traffic of pods from bypassing the mesh.
    await side.heal()
    expect(await side.drift()).toEqual([])
    await side.stop()
    expect(await everything(node.at.node)).toBe(before)
  }
})

test('a ztunnel that dies while it replaces another one leaves pods captured', async () => {
  const side = newSide()
  const { ztunnel } = await mortal()
  await side.start(ztunnel)
  await side.addPod({ uid: 'app', addresses: [addresses.app] })
  for (const part of instants) {
    await startOf(side, part)
    // None of these ztunnels listens, so an answer would have bypassed ztunnel.
    expect(await answerOf(node.at.app, addresses.srv, 8080)).not.toMatch(/ saw /)
    await side.heal()
    expect(await side.drift()).toEqual([])
    expect(await side.listPods()).toEqual([{ address: addresses.app, uid: 'app' }])
  }
  await side.stop()
})
