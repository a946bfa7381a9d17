import { existsSync, readdirSync } from 'node:fs'
import { netns } from '@cni/netns'
import { expect, test } from 'vitest'
import { stage } from './stage.ts'

const parts = { api: { inNode: true }, kernel: { lo: ['192.0.2.1/32'] }, pods: { bridge: ['10.9.0.1'] } } as const
const descriptors = () => readdirSync('/proc/self/fd').length

test('the requested parts work together, and end together', async () => {
  const before = descriptors()
  const seen: string[] = []
  {
    await using it = await stage(parts, (it) => it)
    seen.push(it.root, it.node.path, it.account.tokenFile)
    const { port } = new URL(it.api.url)
    await netns.exec(await it.pod('10.9.0.2'), ['bash', '-c', `: < /dev/tcp/192.0.2.1/${port}`])
    expect(seen.map(existsSync)).toEqual([true, true, true])
  }
  expect(seen.map(existsSync)).toEqual([false, false, false])
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(before)
})

test('a start that fails leaves nothing', async () => {
  const seen: string[] = []
  const failing = stage(parts, async ({ root, pod, stack }) => {
    const { path } = await pod('10.9.0.2')
    seen.push(root, path)
    stack.defer(() => void seen.push('deferred'))
    throw new Error('not today')
  })
  await expect(failing).rejects.toThrow('not today')
  expect(seen.slice(0, 2).map(existsSync)).toEqual([false, false])
  expect(seen.at(-1)).toBe('deferred')
})

test('a bridge without a node is refused', async () => {
  await expect(stage({ pods: parts.pods }, () => ({}))).rejects.toThrow('a bridge needs a node')
})
