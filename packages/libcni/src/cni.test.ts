import { fakeExec } from '@cni/invoke/testing'
import { type Conflist, toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { failure, fakeWorlds, first, list, rt } from '../test/fake-world.ts'
import { cni } from './cni.ts'

const worlds = fakeWorlds()

describe('the timeout of an operation', () => {
  const stuck = () => new Promise(() => undefined)
  const verbs = ['add', 'check', 'del', 'gc', 'status', 'validate'] as const

  test.each(verbs)('ends %s', async (verb) => {
    const { runtime } = worlds.setUp({ a: stuck })
    const conflist = list('1.1.0', 'a')
    const options = { timeout: 100 }
    const run = {
      add: () => runtime.add(conflist, rt, options),
      check: () => runtime.check(conflist, rt, options),
      del: () => runtime.del(conflist, rt, options),
      gc: () => runtime.gc(conflist, { validAttachments: [] }, options),
      status: () => runtime.status(conflist, options),
      validate: () => runtime.validate(conflist, options),
    }
    expect(toErrorDocument(await failure(run[verb]())).code).toBe(11)
  })

  test('is shared by all plugins of the list', async () => {
    const slow = async (call: { signal?: AbortSignal | undefined }) => {
      await new Promise((resolve) => call.signal?.addEventListener('abort', resolve))
      return {}
    }
    const { runtime, log } = worlds.setUp({ a: { ADD: first }, b: { ADD: slow }, c: {} })
    await expect(runtime.add(list('1.1.0', 'a', 'b', 'c'), rt, { timeout: 100 })).rejects.toThrow('type="b"')
    expect(log()).toEqual(['ADD a', 'ADD b'])
  })

  test("the runtime's own signal ends every operation", async () => {
    const runtime = cni({
      path: ['/x'],
      cacheDir: worlds.temp.dir,
      exec: fakeExec({ a: {} }),
      signal: AbortSignal.abort(),
    })
    expect(toErrorDocument(await failure(runtime.del(list('1.1.0', 'a'), rt))).code).toBe(11)
  })
})

describe('a conflist object', () => {
  const plugins = [{ type: 'a' }]

  test('is parsed like a loaded one: its newest version is used, and flags may be strings', async () => {
    const { runtime, log, exec } = worlds.setUp({ a: { ADD: first } })
    const plain = { name: 'net1', cniVersions: ['0.4.0', '1.0.0'], plugins, disableCheck: 'true' }
    // Passes a value as a JavaScript caller does.
    const conflist = plain as unknown as Conflist
    await runtime.add(conflist, rt)
    await runtime.check(conflist, rt)
    expect(log()).toEqual(['ADD a'])
    expect(exec.calls[0]?.conf).toMatchObject({ cniVersion: '1.0.0' })
    expect(plain).toEqual({ name: 'net1', cniVersions: ['0.4.0', '1.0.0'], plugins, disableCheck: 'true' })
  })

  test.each<[list: object, message: string]>([
    [{ cniVersion: '1.0.0', name: 'net1', plugins: [] }, 'no plugins in list'],
    [{ cniVersion: '1.0.0', name: 'net1', plugins: [{ name: 'a' }] }, "missing 'type'"],
    [{ cniVersion: 1, name: 'net1', plugins }, 'invalid cniVersion type number'],
  ])('is rejected if it is invalid: %j', async (given, message) => {
    const { runtime, log } = worlds.setUp({ a: {} })
    const conflist = given as unknown as Conflist
    for (const run of [() => runtime.add(conflist, rt), () => runtime.status(conflist)]) {
      await expect(run()).rejects.toThrow(message)
    }
    expect(log()).toEqual([])
  })
})

test("attachments of a container's interfaces are separate", async () => {
  const { runtime } = worlds.setUp({ a: { ADD: first } })
  await runtime.add(list('1.1.0', 'a'), rt)
  await runtime.add(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })
  await runtime.del(list('1.1.0', 'a'), rt)
  expect(runtime.cachedResult(list('1.1.0', 'a'), rt)).toBeUndefined()
  expect(runtime.cachedResult(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })).toEqual(first)
  expect(runtime.cachedAttachment(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })).toMatchObject({ netns: '/ns/1' })
})
