import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'vitest'
import { eventually } from '../../packages/istio-redirect/test/stage/agent-node.ts'
import { podsOn } from './pod-life.ts'
import { streamOf } from './stream.ts'
import { type Release, stop, upgradeNode } from './upgrade-node.ts'

const ROLLS: readonly Release[] = ['current', 'released', 'current', 'released']

test.each([
  ['the agent alone', { SERVE_PLUGIN: 'false', REPAIR_ENABLED: 'false' }],
  ['an agent that serves', { REPAIR_ENABLED: 'false' }],
  ['an agent that serves and repairs', { REPAIR_REPAIR_PODS: 'true', REPAIR_NODE_NAME: 'n1' }],
  ['native nftables', { NATIVE_NFTABLES: 'true' }],
] as const)('%s rolls to this commit and back, twice, while pods come and go', async (name, env) => {
  await using node = await upgradeNode(env)
  const pods = podsOn(node)
  let agent = await node.start('released')
  await using stream = streamOf(pods)
  await using resident = await pods.add('resident-of-the-first')
  for (const [index, release] of ROLLS.entries()) {
    await using guest = await pods.add(`guest-${index}`)
    await stop(agent)
    await pods.check(resident)
    await using between = await pods.add(`between-two-agents-${index}`)
    agent = await node.start(release)
    for (const pod of [resident, guest, between]) await pods.check(pod)
    await pods.del(guest)
    await pods.del(between, 'cache')
  }
  await stream.stop()
  await pods.del(resident, 'cache')
  pods.expectNoneLeft(name)
})

test('with maxSurge the new agent starts before the old one ends, and the newer one keeps the node', async () => {
  await using node = await upgradeNode()
  const pods = podsOn(node)
  let agent = await node.start('released')
  await using stream = streamOf(pods)
  await using resident = await pods.add('resident-of-the-first')
  for (const release of ROLLS) {
    const next = await node.start(release)
    await eventually(() => agent.log().includes('a newer installer keeps this node'), agent.log)
    await pods.check(resident)
    await stop(agent)
    agent = next
    await eventually(agent.ready, agent.log)
    await pods.check(resident)
  }
  await stream.stop()
  await pods.del(resident, 'cache')
  pods.expectNoneLeft('maxSurge')
})

/** The number of agents that are killed at a random moment. */
const ENDS = Number(process.env.CNI_UPGRADE_ENDS ?? 12)

test(
  'agents of either release that are killed or stopped at random moments leave a node that works',
  async () => {
    await using node = await upgradeNode()
    const pods = podsOn(node)
    await stop(await node.start('released'))
    await using stream = streamOf(pods)
    await using resident = await pods.add('resident-of-the-first')
    for (let end = 0; end < ENDS; end += 1) {
      const agent = await node.start(Math.random() < 0.5 ? 'released' : 'current', { atOnce: true })
      await delay(Math.random() * 1500)
      agent.kill(Math.random() < 0.7 ? 'SIGKILL' : 'SIGTERM')
      await agent.exit
      await pods.check(resident)
      await using between = await pods.add(`between-two-agents-${end}`)
      await pods.check(between)
      await pods.del(between, 'cache')
    }
    await stream.stop()
    await pods.del(resident, 'cache')
    pods.expectNoneLeft(`${ENDS} ends at random moments`)
  },
  120_000 + ENDS * 10_000,
)
