import { expect, test } from 'vitest'
import type { ZtunnelBehaviour } from '../../src/testing/node/ztunnel/behaviour.ts'
import { rawZtunnel } from '../zds/raw-ztunnel.ts'
import { capturedBy, entriesOf } from './backends.ts'
import { type MeshNode, meshNode, type TestPod } from './mesh-node.ts'
import { annotated, entriesOfPods, pollOptions, ready } from './served-node.ts'

/** Expects that the kernel, the sets and the annotation agree: the pod is in the mesh. */
async function inMesh(node: MeshNode, pod: TestPod): Promise<void> {
  await annotated(pod, 'enabled')
  expect(await capturedBy(pod.netns, 'iptables-nft')).toBe('wholly')
  expect(await entriesOf(node.netns, 'iptables-nft')).toEqual(entriesOfPods(pod))
}

const bad: readonly (readonly [string, ZtunnelBehaviour, RegExp])[] = [
  ['never says yes', { answer: 'never' }, /no answer within 4 s\n$/],
  ['says no', { refuse: 'no\u001b[2J way' }, /^got ack error: no \[2J way\n$/],
  ['says junk', { answer: 'junk' }, /cannot parse/],
  ['leaves instead of answering', { answer: 'close' }, /connection closed before response received\n$/],
  ['never says hello', { mute: true }, /^no ztunnel connected\n$/],
  [
    'says nothing of the snapshot',
    { answer: 'never', fromStart: true },
    /connection closed before response received\n$/,
  ],
]

// Concurrent: some of them wait for seconds.
test.concurrent.for(bad)(
  'a ztunnel that %s leaves a pod pending and the plugin gets an error; once ztunnel works, the pod joins',
  { timeout: 60_000 },
  async ([, behaviour, says], { expect }) => {
    await using node = await meshNode()
    const agent = await node.start()
    await ready(agent)
    const ztunnel = node.listeningZtunnel(behaviour)
    const isNeverLive = behaviour.mute === true || behaviour.fromStart === true
    if (!isNeverLive) await expect.poll(() => ztunnel.ready, pollOptions).toBe(true)
    const web = await node.pod({ name: 'web', status: false, process: false })
    const answer = await node.hand(web)
    expect(answer.status).toBe(500)
    expect(answer.body).toMatch(says)
    expect(web.annotation()).toBe('pending')
    expect(agent.status()).toMatchObject({ enrolled: 0, pending: 1 })
    expect(agent.problem()).toBeUndefined()
    ztunnel.behave({})
    // The plugin's runtime repeats the call in the same way.
    await expect.poll(async () => (await node.hand(web)).status, { ...pollOptions, interval: 200 }).toBe(200)
    await inMesh(node, web)
    expect(ztunnel.pods.get(web.uid)).toMatchObject({ problem: undefined })
  },
)

test.each([
  ['says yes twice', { answer: 'twice' }],
  ['floods', { answer: 'flood' }],
] as const)('a ztunnel that %s keeps the pods it has acknowledged, and gets all pods again', async (_, behaviour) => {
  await using node = await meshNode()
  const agent = await node.start()
  await ready(agent)
  const ztunnel = node.listeningZtunnel(behaviour)
  await expect.poll(() => ztunnel.ready, pollOptions).toBe(true)
  const web = await node.pod({ name: 'web' })
  await inMesh(node, web)
  await expect.poll(() => ztunnel.heard.filter((text) => text === 'snapshotSent').length, pollOptions).toBe(2)
  expect(ztunnel.heard.filter((text) => text === `add ${web.uid}`)).toHaveLength(2)
  expect(ztunnel.pods.get(web.uid)).toMatchObject({ problem: undefined })
  expect(agent.problem()).toBeUndefined()
})

test('a hundred connections that only send a hello do not disturb the working ztunnel', async () => {
  await using node = await meshNode()
  const agent = await node.start()
  await ready(agent)
  using connections = new DisposableStack()
  for (let count = 0; count < 100; count++) {
    const connection = connections.use(rawZtunnel(node.ztunnelSocket))
    // The agent may have closed this connection already.
    await connection.hello().catch(() => {})
  }
  const ztunnel = node.listeningZtunnel()
  await expect.poll(() => ztunnel.ready, pollOptions).toBe(true)
  const web = await node.pod({ name: 'web' })
  await inMesh(node, web)
  expect([...ztunnel.pods.keys()]).toEqual([web.uid])
  await expect.poll(() => agent.status().ztunnels, pollOptions).toBe(1)
})
