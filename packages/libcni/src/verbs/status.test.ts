import { describe, expect, test } from 'vitest'
import { failing, fakeWorlds, list } from '../../test/fake-world.ts'

const worlds = fakeWorlds()

describe('status', () => {
  test('runs the plugins in order and throws the first error with its code', async () => {
    const { runtime, exec, log } = worlds.setUp({ a: {}, b: failing(50, 'not ready'), c: {} })
    await expect(runtime.status(list('1.1.0', 'a', 'b', 'c'))).rejects.toMatchObject({ code: 50 })
    expect(log()).toEqual(['STATUS a', 'STATUS b'])
    expect(exec.calls[0]?.env).toMatchObject({ CNI_CONTAINERID: '', CNI_NETNS: '', CNI_IFNAME: '', CNI_ARGS: '' })
  })

  test.each(['1.0.0', '', undefined])('version %j is always ready', async (version) => {
    const { runtime, log } = worlds.setUp({ a: failing(50, 'not ready') })
    await runtime.status(list(version, 'a'))
    expect(log()).toEqual([])
  })
})
