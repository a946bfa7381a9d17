import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { failing, fakeWorlds, first, list, rt } from '../../test/fake-world.ts'

const worlds = fakeWorlds()

describe('del', () => {
  test('runs the plugins in reverse order with the cached result, then removes it from the cache', async () => {
    const { exec, runtime, log } = worlds.setUp({ a: { ADD: first }, b: {} })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    await runtime.del(list('1.1.0', 'a', 'b'), rt)
    expect(log().slice(2)).toEqual(['DEL b', 'DEL a'])
    expect(exec.calls.slice(2).map(({ conf }) => conf.prevResult)).toEqual([first, first])
    expect(existsSync(worlds.cached())).toBe(false)
  })

  test('can run again without a result', async () => {
    const { exec, runtime, log } = worlds.setUp({ a: {} })
    await runtime.del(list('1.1.0', 'a'), rt)
    await runtime.del(list('1.1.0', 'a'), { ...rt, netns: '' })
    expect(log()).toEqual(['DEL a', 'DEL a'])
    expect(exec.calls[1]?.conf).not.toHaveProperty('prevResult')
    expect(exec.calls[1]?.env.CNI_NETNS).toBe('')
  })

  test('stops at the first failure and keeps the cached result', async () => {
    const { runtime, log } = worlds.setUp({ a: { ADD: first }, b: { DEL: failing(7, 'bad') } })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    await expect(runtime.del(list('1.1.0', 'a', 'b'), rt)).rejects.toThrow('plugin type="b" failed (delete): bad; dd')
    expect(log().slice(2)).toEqual(['DEL b'])
    expect(existsSync(worlds.cached())).toBe(true)
  })

  test('with onDelError continue runs all plugins, and reports the first failure', async () => {
    const plugins = { a: { ADD: first }, b: { DEL: failing(7, 'second') }, c: {}, d: { DEL: failing(11, 'first') } }
    const { runtime, log } = worlds.setUp(plugins)
    const all = list('1.1.0', 'a', 'b', 'c', 'd')
    await runtime.add(all, rt)
    const deleting = runtime.del(all, rt, { onDelError: 'continue' })
    await expect(deleting).rejects.toThrow('plugin type="d" failed (delete): first; dd')
    expect(log().slice(4)).toEqual(['DEL d', 'DEL c', 'DEL b', 'DEL a'])
    expect(existsSync(worlds.cached())).toBe(true)
  })

  test('with onDelError continue removes the cached result if no plugin failed', async () => {
    const { runtime } = worlds.setUp({ a: { ADD: first } })
    await runtime.add(list('1.1.0', 'a'), rt)
    await runtime.del(list('1.1.0', 'a'), rt, { onDelError: 'continue' })
    expect(existsSync(worlds.cached())).toBe(false)
  })

  test('with onDelError continue starts no plugin after the deadline', async () => {
    const stop = new AbortController()
    const { runtime, log } = worlds.setUp({
      a: { ADD: first },
      b: {
        DEL: () => {
          stop.abort(new Error('over'))
          throw new Error('bad')
        },
      },
    })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    const deleting = runtime.del(list('1.1.0', 'a', 'b'), rt, { onDelError: 'continue', signal: stop.signal })
    await expect(deleting).rejects.toThrow('plugin type="b" failed (delete)')
    expect(log().slice(2)).toEqual(['DEL b'])
  })

  test.each(['0.3.1', '', undefined])('passes no result in version %j', async (version) => {
    const { exec, runtime } = worlds.setUp({ a: { ADD: {} } })
    await runtime.add(list(version, 'a'), rt)
    await runtime.del(list(version, 'a'), rt)
    expect(exec.calls[1]?.conf).not.toHaveProperty('prevResult')
    expect(existsSync(worlds.cached())).toBe(false)
  })

  test.each(['', '{"kind":"cniCacheV1"', '{"cniVersion":"9.9.9"}'])(
    'ignores and removes an invalid cache file, also if a plugin fails: %j',
    async (text) => {
      worlds.temp.write('results/net1-c1-eth0', text)
      const { exec, runtime } = worlds.setUp({ a: failing(7, 'bad') })
      await expect(runtime.del(list('1.1.0', 'a'), rt)).rejects.toThrow('failed (delete)')
      expect(exec.calls[0]?.conf).not.toHaveProperty('prevResult')
      expect(existsSync(worlds.cached())).toBe(false)
    },
  )

  test('rejects an invalid version before it runs a plugin', async () => {
    const { runtime, log } = worlds.setUp({ a: {} })
    await expect(runtime.del(list('one', 'a'), rt)).rejects.toThrow('invalid CNI version "one"')
    expect(log()).toEqual([])
  })

  test('rejects a container id that leads out of the cache folder', async () => {
    const victim = worlds.temp.write('victim', 'precious')
    const { runtime, log } = worlds.setUp({ a: {} })
    await expect(
      runtime.del(list('1.1.0', 'a'), { ...rt, containerID: 'x/../../victim', ifName: '' }),
    ).rejects.toMatchObject({ code: 'UNSAFE_NAME' })
    await expect(runtime.del(list('1.1.0', 'a'), { ...rt, containerID: '/../../victim' })).rejects.toThrow()
    expect(readFileSync(victim, 'utf8')).toBe('precious')
    expect(log()).toEqual([])
  })
})
