import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { addAddresses, podWith } from '../stage/kernel.ts'
import { capturedBy } from './backends.ts'
import { type MeshNode, meshNode, type TestPod } from './mesh-node.ts'
import { mounted, showProcess } from './node-files.ts'
import type { RecordingZtunnel } from './recording-ztunnel.ts'
import { annotated, pollOptions, ready, servedNode } from './served-node.ts'

/** Short rounds shorten the wait of each test. */
const rounds = { podRoundMs: 200 }

async function enrolled(node: MeshNode, name = 'web'): Promise<TestPod> {
  const pod = await node.pod({ name })
  await annotated(pod, 'enabled')
  return pod
}

/** Waits until a pod is captured in a namespace, and ztunnel has that namespace. */
async function captured(ztunnel: RecordingZtunnel, pod: TestPod, namespace: { readonly ino: bigint }) {
  await expect.poll(() => ztunnel.pods.get(pod.uid), pollOptions).toBe(namespace.ino)
}

/** Ends all processes of a pod, and starts a process of the pod in another network namespace. */
function moved(node: MeshNode, pod: TestPod, to: Netns, pid = '4711'): void {
  pod.end()
  showProcess(node.root, pid, pod.uid, to)
}

const notCaptured = async (node: MeshNode) =>
  (await node.metrics()).match(/^istio_cni_ambient_pods_not_captured (\d+)$/m)?.[1]

describe('a namespace that is replaced under the same UID', () => {
  test.each([
    ['while the agent runs', false],
    ['when the pod changes', true],
  ])('is found by a process, %s', async (_, change) => {
    await using served = await servedNode(rounds)
    const { node, ztunnel } = served
    const pod = await enrolled(node)
    await using other = await podWith(...pod.addresses)
    // The earlier namespace stays mounted. Processes take precedence over mounts.
    using _mount = mounted(node.root, 'cni-old', pod.netns)
    moved(node, pod, other)
    if (change) pod.change({ labels: { touched: 'yes' } })
    await captured(ztunnel, pod, other)
    expect(await capturedBy(other, 'iptables-nft')).toBe('wholly')
    expect(pod.annotation()).toBe('enabled')
    await expect.poll(() => notCaptured(node), pollOptions).toBe('0')
    expect(node.log.filter((line) => line.includes('was replaced'))).toHaveLength(1)
  })

  test.each([
    ['when the agent starts again', 'process', false],
    ['when its processes come after the agent', 'late', false],
    ['when its processes come after the agent, and the pod changes', 'late', true],
    ['when its mount comes after the agent', 'mount', false],
  ] as const)('is found %s', async (_, how, change) => {
    await using node = await meshNode(rounds)
    const first = await node.start()
    const ztunnel = node.ztunnel()
    await ready(first)
    const pod = await enrolled(node)
    await first.stop('followed')
    await using other = await podWith(...pod.addresses)
    using stack = new DisposableStack()
    if (how === 'process') moved(node, pod, other)
    else pod.end()
    const second = await node.start()
    await ready(second)
    if (how !== 'process') {
      await expect.poll(() => notCaptured(node), pollOptions).toBe('1')
      expect(second.status()).toMatchObject({ enrolled: 1, pending: 0, notCaptured: 1, astray: [{ pod: 'shop/web' }] })
      if (how === 'late') showProcess(node.root, '4711', pod.uid, other)
      else stack.use(mounted(node.root, 'cni-new', other))
    }
    if (change) pod.change({ labels: { touched: 'yes' } })
    await captured(ztunnel, pod, other)
    await expect.poll(() => capturedBy(other, 'iptables-nft'), pollOptions).toBe('wholly')
    await expect.poll(() => second.status(), pollOptions).toMatchObject({ enrolled: 1, notCaptured: 0, astray: [] })
  })

  test('is found by its mount if the pod has no visible process, as without a pause container', async () => {
    await using served = await servedNode(rounds)
    const { node, ztunnel } = served
    const pod = await enrolled(node)
    await using other = await podWith(...pod.addresses)
    using _mount = mounted(node.root, 'cni-new', other)
    pod.end()
    await captured(ztunnel, pod, other)
    expect(await capturedBy(other, 'iptables-nft')).toBe('wholly')
  })

  test('is found once the status of the pod has the addresses in it', async () => {
    await using served = await servedNode(rounds)
    const { node, ztunnel, agent } = served
    const pod = await enrolled(node)
    await using other = await podWith('10.20.7.7')
    moved(node, pod, other)
    await expect
      .poll(() => agent.status().astray, pollOptions)
      .toEqual([
        {
          pod: 'shop/web',
          why: expect.stringMatching(/^process 4711 .* is in a namespace without its addresses 10\.20/),
        },
      ])
    expect(await capturedBy(other, 'iptables-nft')).toBe('no')
    pod.change({ status: { phase: 'Running', podIP: '10.20.7.7', podIPs: [{ ip: '10.20.7.7' }] } })
    await captured(ztunnel, pod, other)
  })

  test('is found for each of several pods, and ztunnel gets no message about the others', async () => {
    await using served = await servedNode(rounds)
    const { node, ztunnel, agent } = served
    const pods = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => enrolled(node, name)))
    await using stack = new AsyncDisposableStack()
    const told = ztunnel.told.length
    const fresh = await Promise.all(
      pods.slice(0, 3).map(async (pod, at) => {
        const other = stack.use(await podWith(...pod.addresses))
        moved(node, pod, other, String(4711 + at))
        return { pod, other }
      }),
    )
    for (const { pod, other } of fresh) await captured(ztunnel, pod, other)
    for (const { other } of fresh) expect(await capturedBy(other, 'iptables-nft')).toBe('wholly')
    await expect.poll(() => agent.status(), pollOptions).toMatchObject({ enrolled: 6, notCaptured: 0 })
    expect(ztunnel.told.slice(told).toSorted()).toEqual(['add a', 'add b', 'add c'])
  })

  test('is retried when ztunnel refuses it, and counted meanwhile', async () => {
    await using served = await servedNode(rounds)
    const { node, ztunnel, agent } = served
    const pod = await enrolled(node)
    await using other = await podWith(...pod.addresses)
    ztunnel.answer(() => 'no room')
    moved(node, pod, other)
    await annotated(pod, 'pending')
    await expect
      .poll(() => agent.status(), pollOptions)
      .toMatchObject({
        notCaptured: 1,
        astray: [{ pod: 'shop/web', why: expect.stringContaining('no room') }],
      })
    ztunnel.answer(() => '')
    await captured(ztunnel, pod, other)
    await annotated(pod, 'enabled')
    expect(agent.status()).toMatchObject({ enrolled: 1, pending: 0, notCaptured: 0 })
  })
})

describe('a namespace is never taken', () => {
  test('from another pod, for any of the pods', async () => {
    await using served = await servedNode(rounds)
    const { node, ztunnel, agent } = served
    const [one, other] = [await enrolled(node, 'one'), await enrolled(node, 'other')]
    await addAddresses(other.netns, one.addresses, 'more')
    one.end()
    showProcess(node.root, '4711', one.uid, other.netns)
    using _mount = mounted(node.root, 'cni-other', other.netns)
    await expect.poll(() => agent.status().astray, pollOptions).toMatchObject([{ pod: 'shop/one' }])
    expect([ztunnel.pods.get(one.uid), ztunnel.pods.get(other.uid)]).toEqual([one.netns.ino, other.netns.ino])
  })

  test('from the node, or from the agent', async () => {
    await using served = await servedNode(rounds)
    const { node, ztunnel, agent } = served
    const pod = await enrolled(node)
    await addAddresses(node.netns, pod.addresses, 'more')
    moved(node, pod, node.netns)
    showProcess(node.root, '4712', pod.uid, { path: '/proc/self/ns/net' })
    using _mount = mounted(node.root, 'cni-node', node.netns)
    await expect.poll(() => agent.status().astray, pollOptions).toMatchObject([{ pod: 'shop/web' }])
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    expect(await capturedBy(node.netns, 'iptables-nft')).toBe('no')
  })

  test('if one process of the pod makes its own, while another process is in the pod’s', async () => {
    await using served = await servedNode(rounds)
    const { node, ztunnel, agent } = served
    const pod = await enrolled(node)
    const bystander = await enrolled(node, 'bystander')
    await using made = await podWith(...pod.addresses)
    showProcess(node.root, '4711', pod.uid, made, 1)
    await using elsewhere = await tempNetns()
    // The agent settles this in the same round or a later one.
    moved(node, bystander, elsewhere, '4712')
    await expect.poll(() => agent.status().astray, pollOptions).toMatchObject([{ pod: 'shop/bystander' }])
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    expect(await capturedBy(made, 'iptables-nft')).toBe('no')
  })
})
