import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ambientNode } from './ambient-node.ts'
import { killAt, stepsOf } from './steps.ts'
import { streamOf } from './stream.ts'
import { other, type Release, stop } from './upgrade-node.ts'

const onHost = (...argv: [string, ...string[]]): string =>
  spawnSync(argv[0], argv.slice(1), { encoding: 'utf8' }).stdout

test.each([
  ['iptables', {}],
  ['native nftables', { NATIVE_NFTABLES: 'true' }],
])('an ambient mesh (%s) keeps its pods while the agent rolls to this commit and back', async (name, env) => {
  await using mesh = await ambientNode(env)
  const { node } = mesh
  const pods = mesh.pods()
  let agent = await node.start('released')
  await using resident = await pods.add('resident')
  await using stream = streamOf(pods)
  for (const [index, release] of (['current', 'released', 'current'] as const).entries()) {
    await using guest = await pods.add(`guest-${index}`)
    await mesh.expectInMesh(resident, guest)
    await stop(agent)
    agent = await node.start(release)
    await mesh.expectInMesh(resident, guest)
    for (const pod of [resident, guest]) await pods.check(pod)
    await pods.del(guest)
  }
  await stream.stop()
  await mesh.expectInMesh(resident)
  await pods.del(resident)
  node.api.deletePod('demo', 'resident')
  await mesh.expectNoneInMesh()
  // Kubelet retries while no agent runs.
  pods.expectNoneLeft(`ambient, ${name}`, /node agent/)
  await node.uninstall(agent)
  expect(onHost('nft', 'list', 'ruleset')).not.toMatch(/istio/i)
  expect(onHost('ipset', 'list', '-name')).not.toMatch(/istio/i)
})

test.each<Release>(['current', 'released'])(
  'the agent (%s) of an ambient mesh takes over after one that was killed at any step of its start',
  async (release) => {
    const before = other(release)
    await using mesh = await ambientNode()
    const { node } = mesh
    const pods = mesh.pods()
    const first = await node.start(before)
    // An agent is ready before ztunnel has connected, and an ADD before that fails.
    await mesh.expectNoneInMesh()
    await using resident = await pods.add('resident')
    await stop(first)
    const steps = await stepsOf(node, release)
    for (const step of steps) {
      await killAt(node, release, step)
      await pods.check(resident)
      const agent = await node.start(before)
      await mesh.expectInMesh(resident)
      await pods.check(resident)
      await stop(agent)
    }
    await pods.del(resident)
    pods.expectNoneLeft(`ambient, ${release} killed at ${steps.length} steps`)
  },
  300_000,
)
