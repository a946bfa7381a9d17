import { iptables, ruleset } from '@cni/iptables'
import { describe, expect, test } from 'vitest'
import { defaultProbeSource } from '../../../istio-rules/src/ambient/pod-rules.ts'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { nodeProbes } from '../../src/agent/ambient/node/node-probes.ts'
import { type MeshNode, meshNode, type TestPod } from './mesh-node.ts'
import { annotated, entriesOfPods, joined, pollOptions, ready, servedNode } from './served-node.ts'

/** True if rules of ours are in a pod. */
async function isCaptured({ netns }: TestPod): Promise<boolean> {
  const { ipv4, ipv6 } = await iptables(netns, { backend: 'iptables-nft' }).snapshot()
  return [ipv4, ipv6].some((family) =>
    [...(family?.tables.values() ?? [])].some((chains) => [...chains.keys()].some((name) => name.startsWith('ISTIO_'))),
  )
}

/** The entries of the node's sets, as `address uid`. */
async function entries(node: MeshNode): Promise<string[]> {
  const { sets } = nodeProbes(
    { ipv6: true, probeSource: defaultProbeSource },
    { netns: node.netns, backend: 'iptables-nft' },
  )
  return (await sets.list()).map(({ address, uid }) => `${address} ${uid}`).toSorted()
}

describe('a pod from a plugin’s event', () => {
  test('is enrolled before the answer: rules, ztunnel, sets, annotation', async () => {
    await using served = await servedNode()
    const { node, agent, ztunnel } = served
    const pod = await node.pod({ name: 'web', process: false, status: false })
    expect(await node.hand(pod)).toMatchObject({ status: 200, body: '' })
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    expect(await isCaptured(pod)).toBe(true)
    expect(await entries(node)).toEqual(entriesOfPods(pod))
    expect(pod.annotation()).toBe('enabled')
    expect(agent.status()).toMatchObject({ enrolled: 1, pending: 0, ztunnels: 1, backend: 'iptables-nft' })
    const requests = node.api.requests.filter(({ method }) => method === 'PATCH')
    expect(requests.map(({ url, headers, body }) => [url, headers['content-type'], body])).toEqual([
      [
        '/api/v1/namespaces/shop/pods/web/status',
        'application/merge-patch+json',
        '{"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}',
      ],
    ])
    expect(await node.metrics()).toContain('istio_cni_plugin_requests_total{response_code="200"} 1')
  })

  test('is in the next snapshot with nine others whose status arrives together with the event', async () => {
    await using served = await servedNode()
    const { node } = served
    const pods = await Promise.all(
      Array.from({ length: 10 }, (_, at) => node.pod({ name: `web-${at}`, status: false })),
    )
    const answers = await Promise.all(
      pods.map((pod) => {
        const answer = node.hand(pod)
        const podIPs = pod.addresses.map((ip) => ({ ip }))
        pod.change({ status: { phase: 'Running', podIP: pod.addresses[0], podIPs } })
        return answer
      }),
    )
    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(pods.map(() => '200 '))
    for (const pod of pods) await annotated(pod, 'enabled')
    const other = node.ztunnel()
    await joined(other)
    expect([...other.pods.keys()].toSorted()).toEqual(pods.map(({ uid }) => uid).toSorted())
    expect(await entries(node)).toEqual(entriesOfPods(...pods))
    expect(node.patches().filter((text) => text.endsWith('enabled'))).toHaveLength(10)
    expect(node.patches()).toHaveLength(10)
  })

  test('is enrolled once if the event is repeated, and moves if the event names another namespace', async () => {
    await using served = await servedNode()
    const { node, ztunnel } = served
    const pod = await node.pod({ name: 'web' })
    expect((await node.hand(pod)).status).toBe(200)
    expect((await node.hand(pod)).status).toBe(200)
    expect(await entries(node)).toEqual(entriesOfPods(pod))
    const other = await node.pod({ name: 'sandbox', namespace: 'plain' })
    expect((await node.hand(pod, pod.event(`/netns/${other.uid}`))).status).toBe(200)
    expect(ztunnel.pods.get(pod.uid)).toBe(other.netns.ino)
    expect(await isCaptured(other)).toBe(true)
    expect(node.patches()).toEqual(['web enabled'])
  })

  test('over the serving socket is enrolled at once if the pod is identified with certainty', async () => {
    await using served = await servedNode()
    const { node, agent, ztunnel } = served
    const pod = await node.pod({ name: 'web', process: false, status: false })
    const plain = await node.pod({ name: 'plain', namespace: 'plain' })
    const { signal } = new AbortController()
    const handed = ({ namespace, name, uid, addresses }: TestPod) => ({
      ...{ namespace, name, uid, addresses },
      netns: `/netns/${uid}`,
    })
    const said = () =>
      Promise.all([
        agent.enrol(handed(pod), signal),
        node.hand(pod),
        agent.enrol({ ...handed(pod), uid: 'another' }, signal),
        agent.enrol(handed(plain), signal),
      ])
    await expect.poll(() => agent.enrol(handed(plain), signal), pollOptions).toBe('not-ambient')
    expect(await said()).toMatchObject(['enrolled', { status: 200 }, undefined, 'not-ambient'])
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    expect(node.patches()).toEqual(['web enabled'])
  })

  test('without a namespace is found by its processes', async () => {
    await using served = await servedNode()
    const { node, ztunnel } = served
    const pod = await node.pod({ name: 'web', status: false })
    expect(await node.hand(pod, pod.event(''))).toMatchObject({ status: 200, body: '' })
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    expect(await entries(node)).toEqual(entriesOfPods(pod))
  })
})

// Concurrent: these tests wait for seconds.
describe.concurrent('a pod from a plugin’s event', () => {
  test('is pending when ztunnel refuses it, is retried, and is annotated once', async ({ expect }) => {
    await using served = await servedNode()
    const { node, agent, ztunnel } = served
    ztunnel.answer(() => 'no way')
    const pod = await node.pod({ name: 'web' })
    await expect.poll(() => agent.status().waiting, pollOptions).toMatchObject([{ pod: 'shop/web' }])
    expect(await node.hand(pod)).toMatchObject({ status: 500, body: 'got ack error: no way\n' })
    expect(await entries(node)).toEqual([])
    expect(await isCaptured(pod)).toBe(true)
    await expect.poll(() => ztunnel.told.filter((text) => text === 'add web').length, pollOptions).toBeGreaterThan(4)
    expect(node.patches()).toEqual(['web pending'])
    ztunnel.answer(() => '')
    await annotated(pod, 'enabled')
    expect(node.patches()).toEqual(['web pending', 'web enabled'])
    expect(await entries(node)).toEqual(entriesOfPods(pod))
  })

  test('is retried after a refusal only when its status has addresses', async ({ expect }) => {
    await using served = await servedNode()
    const { node, agent, ztunnel } = served
    ztunnel.answer((name) => (name === 'web' ? 'no way' : ''))
    const pod = await node.pod({ name: 'web', status: false })
    expect((await node.hand(pod)).status).toBe(500)
    expect(agent.status().waiting).toEqual([{ pod: 'shop/web', why: 'it has no address yet' }])
    const adds = () => ztunnel.told.filter((text) => text === 'add web').length
    pod.change({ labels: { touched: 'yes' } })
    const other = await node.pod({ name: 'other' })
    await annotated(other, 'enabled')
    expect(adds()).toBe(1)
    const podIPs = pod.addresses.map((ip) => ({ ip }))
    pod.change({ status: { phase: 'Running', podIP: pod.addresses[0], podIPs } })
    await expect.poll(adds, pollOptions).toBeGreaterThan(2)
    ztunnel.answer(() => '')
    await annotated(pod, 'enabled')
  })

  test('is pending if ztunnel does not answer, and the plugin gets the agent’s error within its five seconds', async ({
    expect,
  }) => {
    await using served = await servedNode()
    const { node, agent, ztunnel } = served
    ztunnel.answer(() => 'silence')
    const pod = await node.pod({ name: 'web', status: false })
    const answer = await node.hand(pod)
    expect(answer.status).toBe(500)
    expect(answer.body).toMatch(/no answer within 4 s\n$/)
    expect(pod.annotation()).toBe('pending')
    expect(agent.status()).toMatchObject({ enrolled: 0, pending: 1 })
  })
})

describe('a pod with rules already', () => {
  test.each([
    ['chains of another version of Istio go', true],
    ['chains that are not ours stay', false],
  ])('is enrolled: %s', async (_, reconcile) => {
    await using served = await servedNode({ reconcile })
    const { node } = served
    const pod = await node.pod({ name: 'web', status: false })
    const tables = iptables(pod.netns, { backend: 'iptables-nft' })
    await tables.apply(ruleset({ nat: ['ISTIO_OLD'] }, ({ nat }) => [nat.on('OUTPUT').jump('ISTIO_OLD')]))
    await tables.apply(ruleset({ nat: ['MINE'] }, ({ nat }) => [nat.on('OUTPUT').jump('MINE')]))
    expect((await node.hand(pod)).status).toBe(200)
    const { ipv4 } = await tables.snapshot()
    const chains = [...(ipv4?.tables.get('nat')?.keys() ?? [])]
    expect(chains).toContain('MINE')
    expect(chains).toContain('ISTIO_OUTPUT')
    expect(chains.includes('ISTIO_OLD')).toBe(!reconcile)
  })
})

describe('pods that exist already', () => {
  test('join and leave with the label of their namespace', async () => {
    await using node = await meshNode()
    const pod = await node.pod({ name: 'web', namespace: 'plain' })
    const agent = await node.start()
    const ztunnel = node.ztunnel()
    await ready(agent)
    await joined(ztunnel)
    node.api.setNamespace('plain', { [mode]: 'ambient' })
    await annotated(pod, 'enabled')
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    expect(await isCaptured(pod)).toBe(true)
    node.api.setNamespace('plain', {})
    await annotated(pod, undefined)
    expect(ztunnel.pods.has(pod.uid)).toBe(false)
    expect(await isCaptured(pod)).toBe(false)
    expect(await entries(node)).toEqual([])
    expect(node.patches()).toEqual(['web enabled', 'web null'])
  })

  test('join and leave with their own label, a sidecar, and any annotation that users write', async () => {
    await using served = await servedNode()
    const { node, ztunnel } = served
    const pod = await node.pod({ name: 'web' })
    await annotated(pod, 'enabled')
    pod.change({ labels: { [mode]: 'none' } })
    await annotated(pod, undefined)
    pod.change({ labels: { [mode]: 'ambient' } })
    await annotated(pod, 'enabled')
    pod.change({ annotations: { 'ambient.istio.io/redirection': undefined } })
    await annotated(pod, 'enabled')
    pod.change({ annotations: { 'ambient.istio.io/redirection': 'disabled' } })
    await annotated(pod, 'enabled')
    pod.change({ annotations: { 'sidecar.istio.io/status': '{}' } })
    await annotated(pod, undefined)
    expect(await isCaptured(pod)).toBe(false)
    pod.change({ annotations: { 'sidecar.istio.io/status': undefined } })
    await annotated(pod, 'enabled')
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    const outside = await node.pod({ name: 'outside', namespace: 'plain' })
    outside.change({ annotations: { 'ambient.istio.io/redirection': 'enabled' } })
    await annotated(outside, undefined)
  })

  test('leave when they complete or are deleted, with all their addresses', async () => {
    await using served = await servedNode()
    const { node, ztunnel } = served
    const job = await node.pod({ name: 'job' })
    const web = await node.pod({ name: 'web' })
    for (const pod of [job, web]) await annotated(pod, 'enabled')
    web.change({ status: { phase: 'Running', podIP: '10.20.1.1', podIPs: [{ ip: '10.20.1.1' }] } })
    await expect
      .poll(() => entries(node), pollOptions)
      .toEqual([...entriesOfPods(job), `10.20.1.1 ${web.uid}`].toSorted())
    job.change({ status: { phase: 'Succeeded' } })
    await annotated(job, undefined)
    expect(ztunnel.pods.has(job.uid)).toBe(false)
    expect(await isCaptured(job)).toBe(true)
    web.change({ status: { phase: 'Running' } })
    web.delete()
    await expect.poll(() => ztunnel.pods.size, pollOptions).toBe(0)
    expect(await entries(node)).toEqual([])
  })

  test('on the network of the node, of ztunnel itself, or of an excluded namespace never join', async () => {
    await using node = await meshNode()
    node.api.setNamespace('kube-system', { [mode]: 'ambient' })
    node.api.setNamespace('istio-system', { [mode]: 'ambient' })
    const agent = await node.start()
    const ztunnel = node.ztunnel()
    await ready(agent)
    await joined(ztunnel)
    const host = await node.pod({ name: 'host', spec: { hostNetwork: true } })
    const proxy = await node.pod({ name: 'zt', namespace: 'istio-system', labels: { app: 'ztunnel' } })
    const dns = await node.pod({ name: 'dns', namespace: 'kube-system' })
    const last = await node.pod({ name: 'last' })
    await annotated(last, 'enabled')
    for (const pod of [host, proxy, dns]) pod.change({ labels: { touched: 'yes' } })
    last.change({ labels: { [mode]: 'none' } })
    await annotated(last, undefined)
    expect([...ztunnel.pods]).toEqual([])
    expect(node.patches()).toEqual(['last enabled', 'last null'])
    for (const pod of [host, proxy, dns]) expect(await isCaptured(pod)).toBe(false)
    expect(node.log.filter((line) => line.startsWith('error'))).toEqual([])
  })

  test('with an IPv6 address are enrolled without it and with a warning if IPv6 is off', async () => {
    await using served = await servedNode({
      capture: { ipv6: false, dnsCapture: true, probeSource: defaultProbeSource },
    })
    const { node } = served
    const pod = await node.pod({ name: 'web', process: false })
    expect((await node.hand(pod)).status).toBe(200)
    expect(pod.annotation()).toBe('enabled')
    const [ipv4] = pod.addresses
    const { sets } = nodeProbes(
      { ipv6: false, probeSource: defaultProbeSource },
      { netns: node.netns, backend: 'iptables-nft' },
    )
    expect(await sets.list()).toEqual([{ address: ipv4, uid: pod.uid }])
    expect(node.log.join('\n')).toMatch(/warn traffic of the pod over fd00:20::\d+ is not in the mesh.*shop\/web/)
  })
})
