import { describe, expect, test } from 'vitest'
import { failing, failure, fakeWorlds, first, list, rt } from '../../test/fake-world.ts'

const worlds = fakeWorlds()

describe('check', () => {
  test('runs the plugins in order, all with the cached result', async () => {
    const { exec, runtime, log } = worlds.setUp({ a: { ADD: first }, b: {} })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    await runtime.check(list('1.1.0', 'a', 'b'), rt)
    expect(log().slice(2)).toEqual(['CHECK a', 'CHECK b'])
    expect(exec.calls.slice(2).map(({ conf }) => conf.prevResult)).toEqual([first, first])
  })

  test('throws the first error unchanged', async () => {
    const { runtime, log } = worlds.setUp({ a: failing(100, 'drift'), b: {} })
    await expect(runtime.check(list('1.1.0', 'a', 'b'), rt)).rejects.toMatchObject({ code: 100, message: 'drift' })
    expect(log()).toEqual(['CHECK a'])
  })

  test.each(['0.3.1', '', undefined])('is not supported in version %j', async (version) => {
    const { runtime, log } = worlds.setUp({ a: {} })
    await expect(runtime.check({ ...list(version, 'a'), disableCheck: true }, rt)).rejects.toMatchObject({
      code: 'CHECK_UNSUPPORTED',
      message: `configuration version "${version ?? ''}" does not support the CHECK command`,
    })
    expect(log()).toEqual([])
  })

  test('disableCheck succeeds without running anything', async () => {
    const { runtime, log } = worlds.setUp({ a: {} })
    await runtime.check({ ...list('1.1.0', 'a'), disableCheck: true }, rt)
    expect(log()).toEqual([])
  })

  test('runs without a result if nothing is cached', async () => {
    const { exec, runtime } = worlds.setUp({ a: {} })
    await runtime.check(list('1.1.0', 'a'), rt)
    expect(exec.calls[0]?.conf).not.toHaveProperty('prevResult')
  })

  test.each(['', '{"kind":"cniCacheV1"', '{"cniVersion":"9.9.9"}'])(
    'rejects an invalid cache file: %j',
    async (text) => {
      worlds.temp.write('results/net1-c1-eth0', text)
      const { runtime, log } = worlds.setUp({ a: {} })
      const error = await failure(runtime.check(list('1.1.0', 'a'), rt))
      expect(error.message).toMatch(/^failed to get network "net1" cached result: /)
      expect(log()).toEqual([])
    },
  )
})
