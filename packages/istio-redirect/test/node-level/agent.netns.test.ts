import { readFileSync, statSync } from 'node:fs'
import { netns, sysctl } from '@cni/netns'
import { describe, expect, test } from 'vitest'
import { NodeLevelError } from '../../../istio-node-level/src/node-level-error.ts'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import type { AmbientMode } from '../../src/agent/ambient/start-ambient.ts'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import { nodeLevelSelectors } from '../../src/agent/config/selectors.ts'
import { type MeshNode, meshNode, type TestPod } from '../ambient/mesh-node.ts'
import { stage } from '../stage/stage.ts'
import { type MemoryKernel, memoryKernel } from './memory-kernel.ts'

interface Ztunnel extends TestPod {
  ready(is: boolean): void
}

/** A node whose kernel side is in memory, and outlives its agents. */
const nodeLevelNode = () =>
  stage({}, async ({ path, stack }) => {
    const configFile = path('etc/config.json')
    const kernel: MemoryKernel = memoryKernel()
    const settings: Partial<AmbientConfig> = {
      selectors: nodeLevelSelectors,
      optOut: true,
      nodeLevel: { mode: 'node-iptables', tunnel: 'geneve', configFile, hostIp: '10.20.0.254' },
    }
    const node: MeshNode = stack.use(await meshNode(settings))
    return {
      node,
      kernel,
      configFile,
      shared: () => JSON.parse(readFileSync(configFile, 'utf8')),
      said: (text: string) => node.log.filter((line) => line.includes(text)),
      start: (): Promise<AmbientMode> => node.start({}, async () => ({ kernel, needsNetns: false })),
      async ztunnel(name: string, minute: number): Promise<Ztunnel> {
        const pod = await node.pod({ name, namespace: 'istio-system', labels: { app: 'ztunnel' }, status: false })
        const [ip] = pod.addresses
        const stored = node.api.getPod('istio-system', name)
        if (stored === undefined) throw new Error(name)
        const creationTimestamp = `2024-05-01T10:${String(minute).padStart(2, '0')}:00Z`
        node.api.setPod({ ...stored, metadata: { ...stored.metadata, creationTimestamp } })
        const ready = (is: boolean): void =>
          pod.change({
            status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: is ? 'True' : 'False' }] },
          })
        ready(true)
        return { ...pod, ready }
      },
    }
  })

/** Waits up to 30 s, as machines may be slow. */
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 30_000 })

const redirection = 'ambient.istio.io/redirection'
const ipv4 = ({ addresses }: TestPod): string => addresses[0] ?? ''

test('pods join and leave by the label of their namespace, by their annotation and by their end', async () => {
  await using on = await nodeLevelNode()
  const { node, kernel } = on
  const ztunnel = await on.ztunnel('ztunnel-a', 1)
  const web = await node.pod({ name: 'web' })
  const other = await node.pod({ name: 'other', namespace: 'plain' })
  const sidecar = await node.pod({ name: 'sidecar', annotations: { 'sidecar.istio.io/status': '{}' } })
  const out = await node.pod({ name: 'out', annotations: { [redirection]: 'disabled' } })
  const agent = await on.start()
  await eventually(() => web.annotation()).toBe('enabled')
  expect([...kernel.entries]).toEqual([[ipv4(web), web.uid]])
  expect(on.shared()).toEqual({ ztunnelReady: true, redirectMode: 'iptables' })
  expect(statSync(on.configFile).mode & 0o777).toBe(0o644)
  await eventually(() => agent.status()).toMatchObject({
    enrolled: 1,
    pending: 0,
    ztunnels: 1,
    nodeLevel: { mode: 'node-iptables', tunnel: 'geneve', ztunnel: 'istio-system/ztunnel-a' },
  })
  expect([agent.problem(), agent.unready()]).toEqual([undefined, undefined])

  node.api.setNamespace('plain', { [mode]: 'ambient' })
  await eventually(() => other.annotation()).toBe('enabled')
  web.change({ annotations: { [redirection]: 'disabled' } })
  await eventually(() => kernel.entries.has(ipv4(web))).toBe(false)
  // The user's annotation stays: otherwise the pod would join again.
  expect([web.annotation(), out.annotation(), sidecar.annotation()]).toEqual(['disabled', 'disabled', undefined])
  web.change({ annotations: { [redirection]: undefined } })
  await eventually(() => web.annotation()).toBe('enabled')
  node.api.setNamespace('plain', {})
  await eventually(() => other.annotation()).toBeUndefined()
  expect([...kernel.entries]).toEqual([[ipv4(web), web.uid]])
  web.delete()
  await eventually(() => kernel.entries.size).toBe(0)
  expect(kernel.calls.filter((call) => call.startsWith('start'))).toEqual([`start ${ztunnel.uid} ${ipv4(ztunnel)}`])
  expect(node.patches()).toEqual(['web enabled', 'other enabled', 'web enabled', 'other null'])
})

test('a pod from a plugin’s event joins before the answer, and is refused with an error if it cannot join', async () => {
  await using on = await nodeLevelNode()
  const { node, kernel } = on
  const agent = await on.start()
  await eventually(() => agent.unready()).toBeUndefined()
  const web = await node.pod({ name: 'web', status: false })
  expect(await node.hand(web)).toMatchObject({ status: 500, body: expect.stringContaining('no ztunnel was started') })
  const ztunnel = await on.ztunnel('ztunnel-a', 1)
  await eventually(() => kernel.calls).toContain(`start ${ztunnel.uid} ${ipv4(ztunnel)}`)
  expect(await node.hand(web)).toMatchObject({ status: 200 })
  expect([...kernel.entries]).toEqual([[ipv4(web), web.uid]])
  expect(web.annotation()).toBe('enabled')
  const plain = await node.pod({ name: 'plain', namespace: 'plain' })
  expect(await node.hand(plain)).toMatchObject({ status: 500, body: expect.stringContaining('not eligible') })
  expect(
    await agent.enrol({ ...plain, netns: '/netns/x', addresses: plain.addresses }, AbortSignal.timeout(9000)),
  ).toBe('not-ambient')
})

test('another ztunnel takes over, and without a ztunnel nothing changes, so traffic is dropped', async () => {
  await using on = await nodeLevelNode()
  const { node, kernel } = on
  const old = await on.ztunnel('ztunnel-a', 1)
  const web = await node.pod({ name: 'web' })
  const agent = await on.start()
  await eventually(() => web.annotation()).toBe('enabled')
  const serving = () => agent.status().nodeLevel?.ztunnel
  const fresh = await on.ztunnel('ztunnel-b', 2)
  await eventually(serving).toBe('istio-system/ztunnel-b')
  old.delete()
  fresh.ready(false)
  await eventually(() => on.shared().ztunnelReady).toBe(false)
  expect([serving(), agent.status().ztunnels]).toEqual([undefined, 0])
  expect([...kernel.entries]).toEqual([[ipv4(web), web.uid]])
  expect(web.annotation()).toBe('enabled')
  expect(on.said('no ztunnel is ready on this node')).toHaveLength(1)
  expect(kernel.calls.at(-1)).toBe('pause')
  fresh.ready(true)
  await eventually(serving).toBe('istio-system/ztunnel-b')
  await eventually(() => on.shared().ztunnelReady).toBe(true)
  expect(node.patches()).toEqual(['web enabled'])
})

test('a ztunnel that cannot be started is retried, and status names it as the reason', async () => {
  await using on = await nodeLevelNode()
  const { node, kernel } = on
  const text = '10.20.0.1 is behind the bridge cni0'
  kernel.refusals.push(...Array.from({ length: 4 }, () => new NodeLevelError('BRIDGE', text)))
  await on.ztunnel('ztunnel-a', 1)
  const web = await node.pod({ name: 'web' })
  const agent = await on.start()
  await eventually(() => agent.unready()).toBe(text)
  expect(on.shared().ztunnelReady).toBe(false)
  await eventually(() => web.annotation()).toBe('enabled')
  expect(agent.unready()).toBeUndefined()
  expect(on.said(text)).toHaveLength(1)
})

test('the next agent repairs changes from the time without an agent, and changes nothing else', async () => {
  await using on = await nodeLevelNode()
  const { node, kernel } = on
  await on.ztunnel('ztunnel-a', 1)
  const stays = await node.pod({ name: 'stays' })
  const goes = await node.pod({ name: 'goes' })
  const leaves = await node.pod({ name: 'leaves', namespace: 'plain' })
  node.api.setNamespace('plain', { [mode]: 'ambient' })
  const first = await on.start()
  await eventually(() => kernel.entries.size).toBe(3)
  await eventually(() => leaves.annotation()).toBe('enabled')
  await first.stop('followed')
  expect(kernel.entries.size).toBe(3)
  expect(on.shared().ztunnelReady).toBe(true)

  goes.delete()
  node.api.setNamespace('plain', {})
  const joins = await node.pod({ name: 'joins' })
  const before = kernel.calls.length
  const second = await on.start()
  await eventually(() => [...kernel.entries.values()].sort()).toEqual([stays.uid, joins.uid].sort())
  await eventually(() => leaves.annotation()).toBeUndefined()
  await eventually(() => second.status().enrolled).toBe(2)
  const later = kernel.calls.slice(before)
  expect(later.filter((call) => call.includes(stays.uid))).toEqual([])
  expect(later.filter((call) => call === 'heal' || call === 'stop')).toEqual([])
})

test('the last agent removes its entries, shared files and annotations', async () => {
  await using on = await nodeLevelNode()
  const { node, kernel } = on
  await on.ztunnel('ztunnel-a', 1)
  const pods = [await node.pod({ name: 'a' }), await node.pod({ name: 'b' })]
  const agent = await on.start()
  await eventually(() => pods.map((pod) => pod.annotation())).toEqual(['enabled', 'enabled'])
  await agent.stop('removed')
  expect(kernel.entries.size).toBe(0)
  expect(kernel.calls.slice(-2)).toEqual(['stop', 'let go'])
  expect(pods.map((pod) => pod.annotation())).toEqual([undefined, undefined])
  expect(() => on.shared()).toThrow('ENOENT')
})

test('entries that another program removes return, and are counted', async () => {
  await using on = await nodeLevelNode()
  const { node, kernel } = on
  await on.ztunnel('ztunnel-a', 1)
  const web = await node.pod({ name: 'web' })
  await on.start()
  await eventually(() => web.annotation()).toBe('enabled')
  kernel.entries.delete(ipv4(web))
  await eventually(() => kernel.entries.get(ipv4(web))).toBe(web.uid)
  await eventually(() => node.metrics()).toContain(
    'istio_cni_ambient_heals_total{part="host_rules",result="success"} 1',
  )
  expect(on.said('repaired the redirection on the node')).toHaveLength(1)
})

const reversePath = 'net/ipv4/conf/all/rp_filter'

describe('the next agent on a node', () => {
  /** A node with state of an agent that has ended. Its tunnel, routes and settings are still there. */
  async function leftNode(settings: Partial<AmbientConfig>) {
    const on = await nodeLevelNode()
    const { node } = on
    await sysctl(node.netns).set(reversePath, '2')
    const agent = await node.start(settings, async () => ({ kernel: on.kernel, needsNetns: false }))
    await eventually(() => agent.unready()).toBeUndefined()
    await agent.stop('followed')
    await sysctl(node.netns).set(reversePath, '0')
    return { ...on, reversePath: async () => (await sysctl(node.netns).get(reversePath))?.trim() }
  }
  const inPods = { nodeLevel: undefined, optOut: false }

  test('with redirection in pods removes the tunnels and restores the node’s earlier settings', async () => {
    await using on = await leftNode({})
    const { node } = on
    const ip = async (...args: readonly string[]) => (await netns.exec(node.netns, ['ip', ...args])).stdout
    await ip('route', 'add', '10.20.0.9', 'dev', 'lo', 'table', '100')
    await ip('rule', 'add', 'priority', '103', 'table', '100')
    await ip('link', 'add', 'istioin', 'type', 'vxlan', 'id', '1000', 'remote', '10.20.0.1', 'dstport', '6081')
    expect(on.shared()).toMatchObject({ redirectMode: 'iptables' })
    await node.start(inPods)
    await eventually(() => on.said('removed the former redirection on the node (node-iptables)')).toHaveLength(1)
    expect(await ip('rule')).not.toContain('103:')
    expect(await ip('link')).not.toContain('istioin')
    expect(await on.reversePath()).toBe('2')
    expect(() => on.shared()).toThrow('ENOENT')
  })

  test('with another kind of redirection removes the earlier kind, and keeps the remembered settings', async () => {
    await using on = await leftNode({})
    const { node } = on
    const byEbpf = {
      nodeLevel: { mode: 'node-ebpf', tunnel: 'geneve', configFile: on.configFile, hostIp: '10.20.0.254' },
    } as const
    const given: (string | undefined)[] = []
    const agent = await node.start(byEbpf, async ({ settings }) => {
      given.push(settings.get(reversePath))
      return { kernel: on.kernel, needsNetns: false }
    })
    await eventually(() => agent.unready()).toBeUndefined()
    expect(on.said('removed the former redirection on the node (node-iptables)')).toHaveLength(1)
    expect(given).toEqual(['2'])
  })

  test('removes the earlier state if it is removed before it works', async () => {
    await using on = await leftNode({})
    const agent = await on.node.start({}, () => Promise.reject(new Error('not yet')))
    await eventually(() => agent.problem()).toBe('not yet')
    await agent.stop('removed')
    expect(on.said('removed the former redirection on the node (node-iptables)')).toHaveLength(1)
    expect(await on.reversePath()).toBe('2')
  })
})
