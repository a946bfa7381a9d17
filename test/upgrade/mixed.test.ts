import { describe, expect, test } from 'vitest'
import { eventually } from '../../packages/istio-redirect/test/stage/agent-node.ts'
import { ambientNode } from './ambient-node.ts'
import { podsOn } from './pod-life.ts'
import { other, type Release, upgradeNode } from './upgrade-node.ts'

// A new agent listens before it replaces the plugin. A plugin that is running at that time is the old version.
describe.each<Release>(['released', 'current'])('while the agent of the release (%s) serves', (release) => {
  test('a plugin of the other release gets no decision of the agent, and decides by itself', async () => {
    await using node = await upgradeNode({ LOG_OUTPUT_LEVEL: 'cni-plugin:debug' })
    const pods = podsOn(node, { runtime: node.runtimeOf(other(release)) })
    const agent = await node.start(release)
    await eventually(() => node.api.watches() === 1, agent.log)
    await using pod = await pods.add('web')
    await pods.check(pod)
    await pods.del(pod)
    const refusals = node.log.join('').match(/the node agent does not decide.*/g)
    // Release 0.1.0 has an incompatible protocol.
    expect(refusals).toEqual([
      expect.stringMatching(/"reason":"(?:version|something else listens there|the connection was closed)/),
    ])
    pods.expectNoneLeft(`plugin of ${other(release)}, agent of ${release}`)
  })

  test('a plugin of the other release can enrol a pod of an ambient mesh', async () => {
    await using mesh = await ambientNode()
    const { node } = mesh
    const pods = mesh.pods(node.runtimeOf(other(release)))
    await node.start(release)
    await using pod = await pods.add('web')
    await mesh.expectInMesh(pod)
    await pods.check(pod)
    await pods.del(pod)
    pods.expectNoneLeft(`ambient, plugin of ${other(release)}, agent of ${release}`)
  })
})
