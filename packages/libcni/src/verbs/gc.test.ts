import { toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { failing, failure, fakeWorlds, first, list, rt } from '../../test/fake-world.ts'
import { staleAttachments } from '../cache/stale.ts'
import type { Cni } from '../cni.ts'

const worlds = fakeWorlds()

describe('gc', () => {
  const valid = [{ containerID: 'c1', ifname: 'eth0' }]

  test('deletes invalid attachments with their cached arguments, then runs GC of every plugin', async () => {
    const { exec, runtime, log } = worlds.setUp({ a: { ADD: first } })
    const stale = { ...rt, containerID: 'c2', netns: '/ns/2' }
    await runtime.add(list('1.1.0', 'a'), rt)
    await runtime.add(list('1.1.0', 'a'), stale)
    await runtime.add({ ...list('1.1.0', 'a'), name: 'other' }, stale)
    await runtime.gc(list('1.1.0', 'a'), { validAttachments: valid })
    expect(log().slice(3)).toEqual(['DEL a', 'GC a'])
    const [del, gc] = exec.calls.slice(3)
    expect(del?.env).toMatchObject({ CNI_CONTAINERID: 'c2', CNI_NETNS: '/ns/2', CNI_ARGS: 'A=1' })
    expect(gc?.env).toMatchObject({ CNI_CONTAINERID: '', CNI_NETNS: '', CNI_IFNAME: '', CNI_PATH: '/opt/cni/bin' })
    expect(gc?.conf).toMatchObject({ 'cni.dev/valid-attachments': valid, 'cni.dev/attachments': valid })
    expect(runtime.attachments().map(({ network, containerID }) => `${network} ${containerID}`)).toEqual([
      'net1 c1',
      'other c2',
    ])
  })

  test('continues after failures and reports all of them', async () => {
    const { runtime, log } = worlds.setUp({
      a: { ADD: first, DEL: failing(7, 'busy'), GC: failing(11, 'later') },
      b: {},
    })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    const error = await failure(runtime.gc(list('1.1.0', 'a', 'b'), { validAttachments: [] }))
    expect(error.message.split('\n')).toEqual([
      'failed to delete stale attachment c1 eth0: plugin type="a" failed (delete): busy; dd',
      'failed to GC plugin a: later; dd',
    ])
    expect(toErrorDocument(error)).toMatchObject({ code: 7 })
    expect(log().slice(2)).toEqual(['DEL b', 'DEL a', 'GC a', 'GC b'])
  })

  test('changes nothing if the list has disableGC', async () => {
    const { runtime, log } = worlds.setUp({ a: { ADD: first } })
    await runtime.add(list('1.1.0', 'a'), rt)
    await runtime.gc({ ...list('1.1.0', 'a'), disableGC: true }, { validAttachments: [] })
    expect(log()).toEqual(['ADD a'])
  })

  test('before 1.1.0 it deletes stale attachments, and runs no GC', async () => {
    const { runtime, log } = worlds.setUp({ a: { ADD: first } })
    await runtime.add(list('1.0.0', 'a'), rt)
    await runtime.gc(list('1.0.0', 'a'), { validAttachments: [] })
    expect(log()).toEqual(['ADD a', 'DEL a'])
  })

  test.each<[given: unknown, message: string]>([
    [undefined, 'validAttachments: expected a list of { containerID, ifname }, got undefined'],
    [{ containerID: 'c1', ifname: 'eth0' }, 'validAttachments: expected a list of { containerID, ifname }, got object'],
    [
      [
        { containerID: 'c1', ifname: 'eth0' },
        { containerID: 'c2', ifName: 'eth0' },
      ],
      'validAttachments[1]: expected { containerID, ifname }, got {"containerID":"c2","ifName":"eth0"}',
    ],
    [['c1'], 'validAttachments[0]: expected { containerID, ifname }, got "c1"'],
  ])('%j is rejected and nothing is deleted', async (given, message) => {
    const { runtime, log } = worlds.setUp({ a: { ADD: first } })
    await runtime.add(list('1.1.0', 'a'), rt)
    // Passes a value as a JavaScript caller does.
    const args = { validAttachments: given } as Parameters<Cni['gc']>[1]
    const error = await failure(runtime.gc(list('1.1.0', 'a'), args))
    expect(error).toMatchObject({ code: 'GC', message: `${message}; every other attachment would be deleted` })
    expect(() => staleAttachments('net1', [], args.validAttachments)).toThrow(message)
    expect(log()).toEqual(['ADD a'])
  })

  test('an unreadable cache folder is an error', async () => {
    worlds.temp.write('results', 'a file')
    await expect(worlds.setUp({ a: {} }).runtime.gc(list('1.1.0', 'a'), { validAttachments: [] })).rejects.toThrow(
      'cannot list the cached attachments',
    )
  })
})
