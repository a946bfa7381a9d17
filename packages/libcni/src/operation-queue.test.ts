import { setImmediate as tick } from 'node:timers/promises'
import type { FakeCall } from '@cni/invoke/testing'
import { type Conflist, toErrorDocument } from '@cni/types'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failure, fakeWorlds, first } from '../test/fake-world.ts'

const worlds = fakeWorlds()
const net = (name: string): Conflist => ({ cniVersion: '1.1.0', name, plugins: [{ type: 'gate' }] })
const pod = (containerID: string, ifName = 'eth0') => ({ containerID, netns: '/ns', ifName })

/**
 * A plugin whose calls end when the test releases them, in the order of their start. Running calls have started and not
 * ended.
 */
function gate() {
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const plugin = async ({ command, env, conf }: FakeCall) => {
    const name = `${command} ${conf.name}${env.CNI_CONTAINERID ? ` ${env.CNI_CONTAINERID}` : ''}`
    begun.push(name)
    await new Promise<void>((end) => running.set(name, end))
    running.delete(name)
    return command === 'ADD' ? first : undefined
  }
  return {
    plugin,
    begun,
    running: () => [...running.keys()],
    async release(name: string) {
      await expect.poll(() => running.has(name)).toBe(true)
      running.get(name)?.()
    },
  }
}

describe('operations on one container', () => {
  test('run one at a time, in the order of the calls', async () => {
    const { plugin, begun, release } = gate()
    const { runtime } = worlds.setUp({ gate: plugin })
    const all = [
      runtime.add(net('a'), pod('c1')),
      runtime.check(net('a'), pod('c1')),
      runtime.del(net('a'), pod('c1')),
      runtime.add(net('b'), pod('c1', 'net1')),
    ]
    const order = ['ADD a c1', 'CHECK a c1', 'DEL a c1', 'ADD b c1']
    for (const [index, name] of order.entries()) {
      await expect.poll(() => begun).toEqual(order.slice(0, index + 1))
      await release(name)
    }
    await Promise.all(all)
  })

  test('are ordered across all runtimes of the process with the same cache', async () => {
    const { plugin, begun, release } = gate()
    const [one, other] = [worlds.setUp({ gate: plugin }).runtime, worlds.setUp({ gate: plugin }).runtime]
    const added = one.add(net('a'), pod('c1'))
    const deleted = other.del(net('a'), pod('c1'))
    await release('ADD a c1')
    await release('DEL a c1')
    await Promise.all([added, deleted])
    expect(begun).toEqual(['ADD a c1', 'DEL a c1'])
  })

  test('continue after a failed one', async () => {
    const { runtime, log } = worlds.setUp({ gate: { ADD: () => Promise.reject(new Error('bad')) } })
    const added = runtime.add(net('a'), pod('c1'))
    const deleted = runtime.del(net('a'), pod('c1'))
    await expect(added).rejects.toThrow('bad')
    await deleted
    expect(log()).toEqual(['ADD gate', 'DEL gate'])
  })

  test('do not block operations on another container', async () => {
    const { plugin, running, release } = gate()
    const { runtime } = worlds.setUp({ gate: plugin })
    const both = [runtime.add(net('a'), pod('c1')), runtime.add(net('a'), pod('c2'))]
    await expect.poll(running).toEqual(['ADD a c1', 'ADD a c2'])
    await release('ADD a c2')
    await release('ADD a c1')
    await Promise.all(both)
  })
})

test('the end of one operation does not start one that waits for another', async () => {
  const { plugin, begun, release } = gate()
  const { runtime } = worlds.setUp({ gate: plugin, idle: {} })
  const added = runtime.add(net('a'), pod('c1'))
  const other = runtime.add(net('a'), pod('c2'))
  await release('ADD a c2')
  await other
  const deleted = runtime.del(net('a'), pod('c1'))
  await runtime.status({ ...net('a'), plugins: [{ type: 'idle' }] })
  expect(begun).toEqual(['ADD a c1', 'ADD a c2'])
  await release('ADD a c1')
  await release('DEL a c1')
  await Promise.all([added, deleted])
})

test('a GC runs alone in its network, and does not block other networks', async () => {
  const { plugin, begun, running, release } = gate()
  const { runtime } = worlds.setUp({ gate: plugin })
  const all = [
    runtime.add(net('a'), pod('c1')),
    runtime.gc(net('a'), { validAttachments: [{ containerID: 'c1', ifname: 'eth0' }] }),
    runtime.add(net('a'), pod('c2')),
    runtime.add(net('b'), pod('c3')),
  ]
  await expect.poll(running).toEqual(['ADD a c1', 'ADD b c3'])
  await release('ADD a c1')
  await expect.poll(running).toEqual(['ADD b c3', 'GC a'])
  expect(begun).not.toContain('ADD a c2')
  for (const name of ['GC a', 'ADD a c2', 'ADD b c3']) await release(name)
  await Promise.all(all)
})

describe('an operation that is aborted while it waits', () => {
  test.each([
    ['DEL', (signal: AbortSignal) => ({ signal }), 'DEL of container c1 did not begin: ADD of it has not ended'],
    ['DEL', () => ({ timeout: 20 }), 'DEL of container c1 did not begin: ADD of it has not ended'],
  ] as const)('fails with BUSY and code 11, runs nothing, and blocks no other (%s)', async (_, options, message) => {
    const { plugin, begun, release } = gate()
    const { runtime } = worlds.setUp({ gate: plugin })
    const controller = new AbortController()
    const added = runtime.add(net('a'), pod('c1'))
    const deleted = failure(runtime.del(net('a'), pod('c1'), options(controller.signal)))
    const checked = runtime.check(net('a'), pod('c1'))
    controller.abort()
    const error = await deleted
    expect(error).toMatchObject({ code: 'BUSY', message: expect.stringContaining(message) })
    expect(toErrorDocument(error).code).toBe(11)
    expect(begun).toEqual(['ADD a c1'])
    await release('ADD a c1')
    await release('CHECK a c1')
    await Promise.all([added, checked])
  })

  test('names the network if it is an operation of a network', async () => {
    const { plugin, release } = gate()
    const { runtime } = worlds.setUp({ gate: plugin })
    const added = runtime.add(net('a'), pod('c1'))
    const error = await failure(runtime.gc(net('a'), { validAttachments: [] }, { timeout: 20 }))
    expect(error.message).toContain('GC of network "a" did not begin: ADD of it has not ended')
    await release('ADD a c1')
    await added
  })
})

test('all operations end, and conflicting ones never run at the same time', async () => {
  const one = fc.record({
    verb: fc.constantFrom('add', 'del', 'gc'),
    id: fc.constantFrom('c1', 'c2'),
    name: fc.constantFrom('a', 'b'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 12 }), async (asked) => {
      const now: Array<{ readonly command: string; readonly id: string; readonly network: unknown }> = []
      let clash = ''
      const plugin = async ({ command, env, conf }: FakeCall) => {
        const own = { command, id: env.CNI_CONTAINERID ?? '', network: conf.name }
        for (const other of now) {
          const collide = own.id && other.id ? own.id === other.id : own.network === other.network
          if (collide) clash = JSON.stringify([own, other])
        }
        now.push(own)
        await tick()
        now.splice(now.indexOf(own), 1)
        return command === 'ADD' ? first : undefined
      }
      const { runtime } = worlds.setUp({ gate: plugin })
      const valid = { validAttachments: ['c1', 'c2'].map((containerID) => ({ containerID, ifname: 'eth0' })) }
      await Promise.all(
        asked.map(({ verb, id, name }) =>
          verb === 'gc' ? runtime.gc(net(name), valid) : runtime[verb](net(name), pod(id)),
        ),
      )
      expect(clash).toBe('')
    }),
    { numRuns: 60 },
  )
})
