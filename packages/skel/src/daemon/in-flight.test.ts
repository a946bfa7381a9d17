import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin } from '@cni/skel'
import { serveDaemon, shim } from '@cni/skel/daemon'
import { fakeNetns, testPlugin } from '@cni/skel/testing'
import { expect, onTestFinished, test } from 'vitest'

/** Counts listeners of signals. Node 20 warns of a leak from the eleventh listener on. Returns the highest count. */
function mostListeners() {
  const counts = new Map<unknown, number>()
  let most = 0
  const { addEventListener } = AbortSignal.prototype
  AbortSignal.prototype.addEventListener = function (this: AbortSignal, ...args: [string, ...unknown[]]) {
    const count = (counts.get(this) ?? 0) + 1
    counts.set(this, count)
    most = Math.max(most, count)
    return Reflect.apply(addEventListener, this, args)
  }
  onTestFinished(() => {
    AbortSignal.prototype.addEventListener = addEventListener
  })
  return () => most
}

test('twenty running calls do not add twenty listeners to one signal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'in-flight-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const most = mostListeners()
  let waiting = 0
  let letAllGo: () => void = () => {}
  const all = new Promise<void>((resolve) => {
    letAllGo = resolve
  })
  const plugin = definePlugin({
    name: 'thick',
    async add() {
      if (++waiting === 20) letAllGo()
      await all
      return {}
    },
  })
  const socket = join(folder, 'cni.sock')
  const netns = { open: (path: string) => fakeNetns(path, 2), current: () => fakeNetns('/proc/self/ns/net', 1) }
  await using _daemon = await serveDaemon(plugin, { socket, netns, stderr: () => {} })
  const tester = testPlugin(shim({ name: 'thick', socket }))
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => tester.add({ containerID: `c${i}` })))
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual(Array(20).fill(0))
  expect(most()).toBeLessThanOrEqual(10)
})
