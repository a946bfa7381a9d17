import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defaultProbeSource } from '../../../istio-rules/src/ambient/pod-rules.ts'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { nodeProbes } from '../../src/agent/ambient/node/node-probes.ts'
import { capturedBy, damage } from './backends.ts'
import { meshNode } from './mesh-node.ts'
import { annotated, pollOptions } from './served-node.ts'

test('the sockets and the node’s rules and sets exist before the agent knows any pod', async () => {
  await using node = await meshNode()
  node.api.misbehave(...Array.from({ length: 200 }, () => ({ status: 503 })))
  const agent = await node.start()
  await expect.poll(() => agent.problem(), pollOptions).toMatch(/cannot watch /)
  const probes = nodeProbes(
    { ipv6: true, probeSource: defaultProbeSource },
    { netns: node.netns, backend: 'iptables-nft' },
  )
  expect(await probes.drift()).toEqual([])
  expect(await probes.sets.list()).toEqual([])
  expect([node.eventSocket, node.ztunnelSocket].filter((path) => !existsSync(path))).toEqual([])
})

test('the agent sends ztunnel the earlier pods and serves plugins before it reads the rules of those pods', async () => {
  await using node = await meshNode()
  const ztunnel = node.ztunnel()
  const first = await node.start()
  const [leaves, drifted] = [await node.pod({ name: 'leaves' }), await node.pod({ name: 'drifted' })]
  for (const pod of [leaves, drifted]) await annotated(pod, 'enabled')
  await first.stop('followed')
  await damage(drifted.netns, 'iptables-nft')
  const broken = await capturedBy(drifted.netns, 'iptables-nft')
  leaves.change({ labels: { [mode]: 'none' } })

  // The agent reads rules one pod after the other. The first pod never completes.
  node.api.misbehave({ method: 'PATCH', hang: true })
  const patched = node.patches().length
  await node.start()
  await expect.poll(() => node.patches().length, pollOptions).toBeGreaterThan(patched)
  expect(ztunnel.snapshot()).toEqual(['add leaves', 'add drifted'])
  const fresh = await node.pod({ name: 'fresh', status: false })
  expect(await node.hand(fresh)).toMatchObject({ status: 200 })
  expect(ztunnel.pods.get(fresh.uid)).toBe(fresh.netns.ino)
  expect(fresh.annotation()).toBe('enabled')
  expect(await capturedBy(drifted.netns, 'iptables-nft')).toBe(broken)

  node.api.cutAll()
  await annotated(leaves, undefined)
  await expect.poll(() => capturedBy(drifted.netns, 'iptables-nft'), pollOptions).toBe('wholly')
})
