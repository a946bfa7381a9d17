import { describe, expect, test } from 'vitest'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { capturedBy, entriesOf } from './backends.ts'
import { meshNode } from './mesh-node.ts'
import { annotated, pollOptions } from './served-node.ts'

describe('the next agent', () => {
  test.each([
    ['before ztunnel had answered', 'ztunnel', 'pending'],
    ['before the annotation was written', 'api', undefined],
  ] as const)('enrols a pod with rules of an agent that ended %s', async (_, who, left) => {
    await using node = await meshNode()
    const first = await node.start()
    const ztunnel = node.ztunnel()
    await expect.poll(() => ztunnel.told, pollOptions).toContain('snapshotSent')
    if (who === 'ztunnel') ztunnel.answer(() => 'silence')
    else node.api.misbehave({ method: 'PATCH', hang: true })
    const pod = await node.pod({ name: 'web' })
    const reached = who === 'ztunnel' ? () => ztunnel.told.join() : () => node.patches().join()
    await expect.poll(reached, pollOptions).toContain('web')
    await first.stop('followed')
    expect(pod.annotation()).toBe(left)
    expect(await capturedBy(pod.netns, 'iptables-nft')).toBe('wholly')

    ztunnel.answer(() => '')
    const second = await node.start()
    await annotated(pod, 'enabled')
    expect(await capturedBy(pod.netns, 'iptables-nft')).toBe('wholly')
    expect(ztunnel.pods.get(pod.uid)).toBe(pod.netns.ino)
    const entries = pod.addresses.map((address) => `${address} ${pod.uid}`)
    expect(await entriesOf(node.netns, 'iptables-nft')).toEqual(entries.toSorted())
    expect(second.status()).toMatchObject({ enrolled: 1, pending: 0 })
  })

  test('removes the annotation that an ended agent left on a pod that leaves', async () => {
    await using node = await meshNode()
    const { ztunnel, first, pod } = await joined(node)
    const patched = node.patches().length
    node.api.misbehave({ method: 'PATCH', hang: true })
    pod.change({ labels: { [mode]: 'none' } })
    await expect.poll(() => node.patches().length, pollOptions).toBeGreaterThan(patched)
    await first.stop('followed')
    expect([pod.annotation(), await capturedBy(pod.netns, 'iptables-nft')]).toEqual(['enabled', 'no'])

    const second = await node.start()
    await annotated(pod, undefined)
    expect(await capturedBy(pod.netns, 'iptables-nft')).toBe('no')
    await expect.poll(() => [...ztunnel.pods.keys()], pollOptions).toEqual([])
    expect(await entriesOf(node.netns, 'iptables-nft')).toEqual([])
    expect(second.status()).toMatchObject({ enrolled: 0, pending: 0 })
  })

  test('takes out a pod that lost its annotation and its label meanwhile', async () => {
    await using node = await meshNode()
    const { ztunnel, first, pod } = await joined(node)
    await first.stop('followed')
    pod.change({ annotations: { 'ambient.istio.io/redirection': undefined }, labels: { [mode]: 'none' } })

    await node.start()
    await expect.poll(() => capturedBy(pod.netns, 'iptables-nft'), pollOptions).toBe('no')
    await expect.poll(() => entriesOf(node.netns, 'iptables-nft'), pollOptions).toEqual([])
    expect(ztunnel.told.filter((line) => line === 'add web')).toHaveLength(1)
    expect(node.patches()).toEqual(['web enabled'])
  })
})

/** Starts an agent with a ztunnel, and a pod in the mesh. */
async function joined(node: Awaited<ReturnType<typeof meshNode>>) {
  const ztunnel = node.ztunnel()
  const first = await node.start()
  const pod = await node.pod({ name: 'web' })
  await annotated(pod, 'enabled')
  return { ztunnel, first, pod }
}
