import type { FakeCall, fakeExec } from '@cni/invoke/testing'
import type { Conflist } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { failing, failure, fakeWorlds, list } from '../test/fake-world.ts'
import { staleAttachments } from './cache/stale.ts'
import { encodeConf } from './derive.ts'
import { type Plan, planNetwork } from './plan.ts'

const worlds = fakeWorlds()
const path = ['/opt/cni/bin']
const rt = {
  containerID: 'c1',
  netns: '/ns/1',
  ifName: 'eth0',
  args: [['A', '1'] as const],
  capabilityArgs: { mac: '02:00:00:00:00:01', unused: true },
}
const last = { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }] }

const chain = (cniVersion: string, more: object = {}): Conflist => ({
  ...list(cniVersion, 'a', 'b'),
  plugins: [
    { type: 'a', capabilities: { mac: true } },
    { type: 'b', name: 'second', vendor: { kept: true } },
  ],
  ...more,
})

const executed = ({ command, type, stdin, env }: FakeCall) => ({ command, type, stdin, env })
const planned = ({ command, type, conf, env }: Plan['calls'][number]) => ({
  command,
  type,
  stdin: encodeConf(conf),
  env,
})

async function attached(conflist: Conflist, plugins: Parameters<typeof fakeExec>[0] = { a: { ADD: last }, b: {} }) {
  const world = worlds.setUp(plugins)
  await world.runtime.add(conflist, rt)
  return { ...world, since: () => world.exec.calls.slice(2).map(executed) }
}

describe.each(['0.3.1', '0.4.0', '1.0.0', '1.1.0'])('a plan equals the execution (%s)', (version) => {
  const conflist = chain(version)

  test('for ADD, except for results that are not known in advance', async () => {
    const { exec } = await attached(conflist)
    const { calls } = planNetwork(conflist, { command: 'ADD', rt, path })
    expect(calls.map(({ prevResult }) => prevResult)).toEqual([undefined, 'plugin before'])
    const withoutResult = exec.calls.map((call) => {
      const { prevResult: _, ...conf } = call.conf
      return { ...executed(call), stdin: encodeConf(conf) }
    })
    expect(calls.map(planned)).toEqual(withoutResult)
  })

  test('for DEL', async () => {
    const { runtime, since } = await attached(conflist)
    const prevResult = runtime.cachedResult(conflist, rt)
    const { calls } = planNetwork(conflist, { command: 'DEL', rt, path, prevResult })
    await runtime.del(conflist, rt)
    expect(calls.map(planned)).toEqual(since())
  })

  test('for STATUS', async () => {
    const { runtime, since } = await attached(conflist)
    const { calls, notes } = planNetwork(conflist, { command: 'STATUS', path })
    await runtime.status(conflist)
    expect(calls.map(planned)).toEqual(since())
    expect(notes).toHaveLength(calls.length === 0 ? 1 : 0)
  })

  test('for GC', async () => {
    const { runtime, since } = await attached(conflist)
    const validAttachments = [{ containerID: 'other', ifname: 'eth0' }]
    const stale = staleAttachments(conflist.name, runtime.attachments(), validAttachments)
    const { calls } = planNetwork(conflist, {
      command: 'GC',
      path,
      validAttachments,
      stale: stale.map((one) => ({ rt: one, prevResult: runtime.cachedResult(conflist, one) })),
    })
    await runtime.gc(conflist, { validAttachments })
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.map(planned)).toEqual(since())
  })
})

describe('a plan', () => {
  test.each(['0.4.0', '1.0.0', '1.1.0'])('for CHECK equals the execution (%s)', async (version) => {
    const conflist = chain(version)
    const { runtime, since } = await attached(conflist)
    const prevResult = runtime.cachedResult(conflist, rt)
    const { calls } = planNetwork(conflist, { command: 'CHECK', rt, path, prevResult })
    expect(calls.map((call) => call.prevResult)).toEqual(['cache', 'cache'])
    await runtime.check(conflist, rt)
    expect(calls.map(planned)).toEqual(since())
  })

  test.each([
    ['CHECK', { disableCheck: true }, 'disableCheck'],
    ['GC', { disableGC: true }, 'disableGC'],
  ] as const)('for %s is empty and explains it if the list disables the verb', (command, more, why) => {
    const request = command === 'GC' ? { command, path, validAttachments: [], stale: [] } : { command, rt, path }
    const { calls, notes } = planNetwork(chain('1.1.0', more), request)
    expect(calls).toEqual([])
    expect(notes).toEqual([expect.stringContaining(why)])
  })

  test('fails with the same error as an operation that fails before it runs a plugin', async () => {
    const { runtime } = worlds.setUp({ a: failing(7, 'it ran'), b: {} })
    const wrong = { ...rt, containerID: '../x' }
    const error = await failure(runtime.add(chain('1.1.0'), wrong))
    expect(() => planNetwork(chain('1.1.0'), { command: 'ADD', rt: wrong, path })).toThrow(error.cause as Error)
    expect(() => planNetwork(chain('0.3.1'), { command: 'CHECK', rt, path })).toThrow('does not support the CHECK')
  })
})
