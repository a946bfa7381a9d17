import { expect, test } from 'vitest'
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
  await using stream = streamOf(pods, 'pod')
  await using resident = await pods.add('resident-of-the-first')
  for (const [index, release] of ROLLS.entries()) {
    await using guest = await pods.add(`guest-${index}`)
    await stop(agent)
    // The pods between two agents.
    await pods.check(resident)
    await using between = await pods.add(`between-${index}`)
    agent = await node.start(release)
    for (const pod of [resident, guest, between]) await pods.check(pod)
    await pods.del(guest)
    await pods.del(between, 'cache')
  }
  const streamed = await stream.stop()
  await pods.del(resident, 'cache')
  process.stderr.write(`${name}: ${JSON.stringify({ ...pods.counts, streamed })}\n`)
  expect(pods.counts.failures).toEqual([])
  expect(node.leases()).toEqual([])
  expect(node.records()).toEqual([])
  expect(node.runtime.attachments()).toEqual([])
})
