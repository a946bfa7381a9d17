import { fakeExec } from '@cni/invoke/testing'
import { toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { failure, fakeWorlds, first, list, rt } from '../test/fake-world.ts'
import { cni } from './cni.ts'

const worlds = fakeWorlds()

describe('the time of an operation', () => {
  const stuck = () => new Promise(() => undefined)
  const verbs = ['add', 'check', 'del', 'gc', 'status', 'validate'] as const

  test.each(verbs)('%s ends when it is over', async (verb) => {
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

test('attachments of one container on several interfaces are apart', async () => {
  const { runtime } = worlds.setUp({ a: { ADD: first } })
  await runtime.add(list('1.1.0', 'a'), rt)
  await runtime.add(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })
  await runtime.del(list('1.1.0', 'a'), rt)
  expect(runtime.cachedResult(list('1.1.0', 'a'), rt)).toBeUndefined()
  expect(runtime.cachedResult(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })).toEqual(first)
  expect(runtime.cachedAttachment(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })).toMatchObject({ netns: '/ns/1' })
})
