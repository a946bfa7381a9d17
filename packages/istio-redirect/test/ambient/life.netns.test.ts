import { existsSync } from 'node:fs'
import { iptables } from '@cni/iptables'
import { describe, expect, test } from 'vitest'
import { defaultProbeSource } from '../../../istio-rules/src/ambient/pod-rules.ts'
import { captureDefaults } from '../../../istio-rules/src/capture/config.ts'
import { redirectRules } from '../../../istio-rules/src/iptables/rules.ts'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { nodeProbes } from '../../src/agent/ambient/node/node-probes.ts'
import { redirectionAnnotation } from '../../src/agent/ambient/pods/annotation.ts'
import type { Backend } from '../../src/backend.ts'
import { backends, capturedBy, entriesOf, settingsFor } from './backends.ts'
import { type MeshNode, meshNode, type TestPod } from './mesh-node.ts'
import { annotated, entriesOfPods, pollOptions, ready, servedNode } from './served-node.ts'

const probesOf = (node: MeshNode) =>
  nodeProbes({ ipv6: true, probeSource: defaultProbeSource }, { netns: node.netns, backend: 'iptables-nft' })

const entries = async (node: MeshNode): Promise<string[]> =>
  (await probesOf(node).sets.list()).map(({ address, uid }) => `${address} ${uid}`).toSorted()

const outboundRules = async ({ netns }: TestPod): Promise<number> => {
  const { ipv4 } = await iptables(netns, { backend: 'iptables-nft' }).snapshot()
  return ipv4?.tables.get('nat')?.get('ISTIO_OUTPUT')?.rules.length ?? 0
}

const sidecar = { 'sidecar.istio.io/status': '{}' }
const sidecarRules = redirectRules({ ...captureDefaults, ipv6: true })

describe('an agent that starts again', () => {
  test('sends ztunnel the earlier pods, keeps pods without a process, and releases deleted pods', async () => {
    await using node = await meshNode()
    const first = await node.start()
    const ztunnel = node.ztunnel()
    await ready(first)
    const [here, lost, gone, done, drifted, unlabelled] = await Promise.all(
      ['here', 'lost', 'gone', 'done', 'drifted', 'unlabelled'].map((name) => node.pod({ name })),
    )
    const all = [here, lost, gone, done, drifted, unlabelled].filter((pod) => pod !== undefined)
    if (!here || !lost || !gone || !done || !drifted || !unlabelled) throw new Error('six pods')
    for (const pod of all) await annotated(pod, 'enabled')
    await first.stop('followed')
    expect(await entries(node)).toEqual(entriesOfPods(...all))
    expect(existsSync(node.eventSocket)).toBe(false)
    expect(existsSync(node.ztunnelSocket)).toBe(false)

    lost.end()
    gone.delete()
    done.change({ status: { phase: 'Succeeded' } })
    unlabelled.change({ labels: { [mode]: 'none' } })
    const tables = iptables(drifted.netns, { backend: 'iptables-nft' })
    const rules = await outboundRules(drifted)
    await tables.remove({ chains: [{ table: 'nat', name: 'ISTIO_OUTPUT' }], rules: [] })
    expect(await outboundRules(drifted)).toBe(0)
    const patched = node.patches().length

    const second = await node.start()
    await ready(second)
    await expect.poll(() => ztunnel.told.filter((text) => text === 'snapshotSent').length, pollOptions).toBe(2)
    expect(ztunnel.snapshot().toSorted()).toEqual(['add drifted', 'add here', 'add unlabelled', `keep ${lost.uid}`])
    await annotated(done, undefined)
    await annotated(unlabelled, undefined)
    await expect.poll(() => entries(node), pollOptions).toEqual(entriesOfPods(here, lost, drifted))
    await expect.poll(() => outboundRules(drifted), pollOptions).toBe(rules)
    expect(node.patches().slice(patched).toSorted()).toEqual(['done null', 'unlabelled null'])
    await expect.poll(() => second.status(), pollOptions).toMatchObject({ enrolled: 3, pending: 0 })
    expect(await node.metrics()).toContain('istio_cni_ambient_heals_total{part="pod",result="success"} 1')
  })

  /** Changes to a pod while no agent runs, with its annotation and without. */
  const meanwhile = [
    ['', sidecar],
    [' and lost its annotation', { ...sidecar, [redirectionAnnotation]: undefined }],
  ] as const
  const everyWay = <B extends Backend>(ways: readonly B[]) =>
    ways.flatMap((backend) => meanwhile.map(([what, annotations]) => [what, backend, annotations] as const))

  test.each(everyWay(backends))(
    'takes a pod out wholly that got a sidecar meanwhile%s, by %s',
    async (_, backend, annotations) => {
      await using node = await meshNode(settingsFor(backend))
      const ztunnel = node.ztunnel()
      const first = await node.start()
      const pod = await node.pod({ name: 'web' })
      await annotated(pod, 'enabled')
      expect(await capturedBy(pod.netns, backend)).toBe('wholly')
      await first.stop('followed')
      pod.change({ annotations })
      const second = await node.start()
      await expect.poll(() => capturedBy(pod.netns, backend), pollOptions).toBe('no')
      await annotated(pod, undefined)
      await expect.poll(() => entriesOf(node.netns, backend), pollOptions).toEqual([])
      await expect.poll(() => [...ztunnel.pods.keys()], pollOptions).toEqual([])
      await expect.poll(() => second.status(), pollOptions).toMatchObject({ enrolled: 0, pending: 0 })
    },
  )

  test.each(everyWay(['iptables-nft', 'iptables-legacy']))(
    'takes no rule of the sidecar that a pod got meanwhile%s, by %s',
    async (_, backend, annotations) => {
      await using node = await meshNode(settingsFor(backend))
      node.ztunnel()
      const first = await node.start()
      const pod = await node.pod({ name: 'web' })
      await annotated(pod, 'enabled')
      await first.stop('followed')
      pod.change({ annotations })
      const firewall = iptables(pod.netns, { backend })
      await firewall.apply(sidecarRules)
      await node.start()
      const chains = async (): Promise<string[]> => {
        const { ipv4, ipv6 } = await firewall.snapshot()
        return [ipv4, ipv6].flatMap((family) =>
          [...(family?.tables.values() ?? [])].flatMap((each) => [...each.keys()]),
        )
      }
      await expect.poll(chains, pollOptions).not.toContain('ISTIO_PRERT')
      await annotated(pod, undefined)
      await firewall.verify(sidecarRules)
    },
  )

  test('does not enrol a pod with the annotation and a sidecar', async () => {
    await using node = await meshNode()
    const annotations = { ...sidecar, 'ambient.istio.io/redirection': 'enabled' }
    const pod = await node.pod({ name: 'web', annotations })
    const firewall = iptables(pod.netns, { backend: 'iptables-nft' })
    await firewall.apply(sidecarRules)
    const before = await firewall.snapshot()
    const ztunnel = node.ztunnel()
    const agent = await node.start()
    await ready(agent)
    await annotated(pod, undefined)
    await expect.poll(() => ztunnel.told, pollOptions).toContain('snapshotSent')
    expect(ztunnel.told.filter((text) => text.startsWith('add'))).toEqual([])
    const { missing, unexpected, changed } = await firewall.diff(before)
    expect([missing, unexpected, changed]).toEqual([[], [], []])
  })

  test('continues with pending pods', async () => {
    await using node = await meshNode()
    const first = await node.start()
    const pod = await node.pod({ name: 'web' })
    await ready(first)
    await annotated(pod, 'pending')
    await expect
      .poll(() => first.status().waiting, pollOptions)
      .toEqual([{ pod: 'shop/web', why: 'no ztunnel connected' }])
    await first.stop('followed')
    const ztunnel = node.ztunnel()
    await ready(await node.start())
    await annotated(pod, 'enabled')
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
  })
})

describe('an agent without', () => {
  test('an API server keeps ztunnel waiting and refuses events, and continues when the API server comes', async () => {
    await using node = await meshNode()
    const first = await node.start()
    const ztunnel = node.ztunnel()
    const pod = await node.pod({ name: 'web' })
    await ready(first)
    await annotated(pod, 'enabled')
    await first.stop('followed')
    node.api.misbehave(...Array.from({ length: 200 }, () => ({ status: 503 })))
    const agent = await node.start()
    await expect.poll(() => agent.problem(), pollOptions).toMatch(/cannot watch .*503/)
    await expect.poll(() => ztunnel.told.filter((text) => text === 'connected').length, pollOptions).toBe(2)
    const answer = await node.hand(pod)
    expect(answer.status).toBe(500)
    expect(answer.body).toMatch(
      /^failed to get pod shop\/web: the node agent is not ready: cannot watch the pods of this node: /,
    )
    expect(ztunnel.snapshot()).toEqual([])
    expect(await entries(node)).toEqual(entriesOfPods(pod))
    node.api.behave()
    await ready(agent)
    await expect.poll(() => ztunnel.snapshot(), pollOptions).toEqual(['add web'])
  })

  test('an API server that has worked reports it, but stays ready: its cached pods are valid', async () => {
    await using node = await meshNode()
    const agent = await node.start()
    const ztunnel = node.ztunnel()
    const pod = await node.pod({ name: 'web', status: false })
    await ready(agent)
    await expect.poll(() => ztunnel.told, pollOptions).toContain('snapshotSent')
    node.api.misbehave(...Array.from({ length: 200 }, () => ({ status: 503 })))
    node.api.cutAll()
    await expect.poll(() => agent.problem(), pollOptions).toMatch(/cannot watch /)
    expect(agent.unready()).toBeUndefined()
    expect((await node.hand(pod)).status).toBe(500)
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    node.api.behave()
    await annotated(pod, 'enabled')
  })

  test('ztunnel is ready, and enrols when ztunnel comes', async () => {
    await using node = await meshNode()
    const agent = await node.start()
    await ready(agent)
    const pod = await node.pod({ name: 'web' })
    await annotated(pod, 'pending')
    node.ztunnel()
    await annotated(pod, 'enabled')
    expect(node.patches()).toEqual(['web pending', 'web enabled'])
  })
})

describe('an agent that stops', () => {
  test('takes the sets and rules off the node if no agent follows, and leaves pods as they are', async () => {
    await using node = await meshNode()
    const agent = await node.start()
    node.ztunnel()
    const pod = await node.pod({ name: 'web' })
    await ready(agent)
    await annotated(pod, 'enabled')
    const rules = await outboundRules(pod)
    await agent.stop('removed')
    expect(await probesOf(node).drift()).not.toEqual([])
    await expect(probesOf(node).sets.list()).rejects.toThrow(/v4 does not exist.*v6 does not exist/)
    const { ipv4 } = await iptables(node.netns, { backend: 'iptables-nft' }).snapshot()
    expect([...(ipv4?.tables.get('nat')?.keys() ?? [])].filter((name) => name.startsWith('ISTIO'))).toEqual([])
    expect(await outboundRules(pod)).toBe(rules)
    expect(pod.annotation()).toBe('enabled')
  })

  test.each([
    ['an API server that never answers', true],
    ['a ztunnel that never answers', false],
  ])('is not delayed by %s', async (_, isServer) => {
    await using served = await servedNode()
    const { node, agent, ztunnel } = served
    // Watches that are still open would not report the pod.
    const watched = () => node.api.requests.filter(({ url }) => url.includes('watch=true')).map(({ url }) => url)
    for (const what of ['pods', 'namespaces']) {
      await expect.poll(watched, pollOptions).toContainEqual(expect.stringContaining(`/api/v1/${what}?`))
    }
    if (isServer) node.api.misbehave(...Array.from({ length: 20 }, () => ({ hang: true })))
    else ztunnel.answer(() => 'silence')
    const pod = await node.pod({ name: 'web', status: false })
    const answer = node.hand(pod).catch(() => undefined)
    await expect.poll(() => ztunnel.told, pollOptions).toContain('add web')
    const began = performance.now()
    await agent.stop('followed')
    expect(performance.now() - began).toBeLessThan(2000)
    await answer
  })
})

describe('a running agent', () => {
  test('repairs rules that another program changes in a pod', async () => {
    await using node = await meshNode()
    const agent = await node.start({ podRoundMs: 300 })
    node.ztunnel()
    const pod = await node.pod({ name: 'web' })
    await ready(agent)
    await annotated(pod, 'enabled')
    const rules = await outboundRules(pod)
    expect(rules).toBeGreaterThan(0)
    await iptables(pod.netns, { backend: 'iptables-nft' }).remove({
      chains: [{ table: 'nat', name: 'ISTIO_OUTPUT' }],
      rules: [],
    })
    await expect.poll(() => outboundRules(pod), pollOptions).toBe(rules)
    expect(node.log.join('\n')).toContain('repaired the rules in a pod')
  })

  test('sends new pods to a second ztunnel, and deletions to the first one', async () => {
    await using node = await meshNode()
    const agent = await node.start()
    const older = node.ztunnel()
    await ready(agent)
    await expect.poll(() => older.told, pollOptions).toContain('snapshotSent')
    const web = await node.pod({ name: 'web' })
    await annotated(web, 'enabled')
    const newer = node.ztunnel()
    await expect.poll(() => agent.status().ztunnels, pollOptions).toBe(2)
    const next = await node.pod({ name: 'next' })
    await annotated(next, 'enabled')
    expect([...newer.pods.keys()]).toEqual([web.uid, next.uid])
    expect([...older.pods.keys()]).toEqual([web.uid])
    web.delete()
    await expect.poll(() => [older.pods.size, newer.pods.size], pollOptions).toEqual([0, 1])
  })
})
