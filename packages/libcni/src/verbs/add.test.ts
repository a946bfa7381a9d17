import { existsSync, readFileSync } from 'node:fs'
import { outcome } from '@cni/invoke/testing'
import { toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { failing, failure, fakeWorlds, first, list, rt } from '../../test/fake-world.ts'
import { RuntimeError } from '../errors.ts'

const worlds = fakeWorlds()

describe('add', () => {
  test('runs the plugins in order, each with the previous result, and caches the last result', async () => {
    const second = { ...first, routes: [{ dst: '0.0.0.0/0' }] }
    const { exec, runtime, log } = worlds.setUp({ a: { ADD: first }, b: { ADD: second } })
    const { document, result } = await runtime.add(list('1.1.0', 'a', 'b'), rt)
    expect(log()).toEqual(['ADD a', 'ADD b'])
    expect(exec.calls.map(({ conf }) => conf.prevResult)).toEqual([undefined, first])
    expect(document).toEqual(second)
    expect(result.routes).toEqual([{ dst: '0.0.0.0/0' }])
    expect(JSON.parse(readFileSync(worlds.cached(), 'utf8')).result).toEqual(second)
    expect(exec.calls[0]?.env).toEqual({
      CNI_COMMAND: 'ADD',
      CNI_CONTAINERID: 'c1',
      CNI_NETNS: '/ns/1',
      CNI_IFNAME: 'eth0',
      CNI_ARGS: 'A=1',
      CNI_PATH: '/opt/cni/bin',
    })
  })

  test('passes a result in the version of the plugin', async () => {
    const old = { cniVersion: '0.2.0', ip4: { ip: '10.0.0.2/24' } }
    const { exec, runtime } = worlds.setUp({ a: { ADD: old }, b: {} })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    expect(exec.calls[1]?.conf.prevResult).toEqual(old)
  })

  test('stops at the first failure without a DEL or a cache file, and keeps the plugin’s code', async () => {
    const { runtime, log } = worlds.setUp({ a: { ADD: first }, b: failing(7, 'bad'), c: {} })
    const conflist = list('1.1.0', 'a', 'b', 'c')
    conflist.plugins[1] = { type: 'b', name: 'second' }
    const error = await failure(runtime.add(conflist, rt))
    expect(error).toBeInstanceOf(RuntimeError)
    expect(error).toMatchObject({ code: 'PLUGIN', message: 'plugin type="b" name="second" failed (add): bad; dd' })
    expect(toErrorDocument(error)).toEqual({ code: 7, msg: 'bad', details: 'dd' })
    expect(log()).toEqual(['ADD a', 'ADD b'])
    expect(existsSync(worlds.cached())).toBe(false)
  })

  test.each([
    ['exit 3', outcome({ exitCode: 3 }), 'netplugin failed with no error message: exit status 3'],
    ['signal', outcome({ signal: 'SIGKILL' }), 'netplugin failed with no error message: signal: killed'],
    ['noise', outcome({ exitCode: 3, stderr: 'to stderr\n' }), 'netplugin failed: "to stderr\\n": exit status 3'],
    ['silence', outcome({}), 'failed to unmarshal raw result: unexpected end of JSON input'],
  ])('reports the end of a plugin: %s', async (_, how, text) => {
    const { runtime } = worlds.setUp({ a: () => how })
    await expect(runtime.add(list('1.1.0', 'a'), rt)).rejects.toThrow(`plugin type="a" failed (add): ${text}`)
  })

  test.each([
    [{ ...rt, containerID: '' }, 3, 'missing containerID'],
    [{ ...rt, containerID: '../x' }, 4, 'invalid characters in containerID; ../x'],
    [{ ...rt, ifName: 'a b' }, 4, 'interface name contains / or : or whitespace characters'],
    [{ ...rt, ifName: '' }, 4, 'interface name is empty'],
  ])('rejects an invalid attachment: %j', async (wrong, code, text) => {
    const { exec, runtime } = worlds.setUp({ a: {} })
    const error = await failure(runtime.add(list('1.1.0', 'a'), wrong))
    expect(error.message).toBe(`plugin type="a" failed (add): ${text}`)
    expect(toErrorDocument(error).code).toBe(code)
    expect(exec.calls).toEqual([])
  })

  test('reports a missing plugin with the path', async () => {
    const { runtime } = worlds.setUp({})
    const error = await failure(runtime.add(list('1.1.0', 'gone'), { ...rt, containerID: '' }))
    expect(error.message).toBe('plugin type="gone" failed (add): failed to find plugin "gone" in path [/opt/cni/bin]')
    expect(toErrorDocument(error).code).toBe(999)
  })

  test('reports a result that cannot be cached', async () => {
    worlds.temp.write('results', 'a file where the folder should be')
    const { runtime } = worlds.setUp({ a: { ADD: first } })
    const error = await failure(runtime.add(list('1.1.0', 'a'), rt))
    expect(error).toMatchObject({ code: 'CACHE' })
    expect(error.message).toMatch(/^failed to set network "net1" cached result: /)
  })

  test('rejects a list without plugins', async () => {
    const conflist = list('1.1.0')
    const { runtime } = worlds.setUp({})
    await expect(runtime.add({ conflist, text: '' }, rt)).rejects.toThrow('network "net1" has no plugins')
    await expect(runtime.add(conflist, rt)).rejects.toThrow('no plugins in list')
  })
})
