import { existsSync, readFileSync } from 'node:fs'
import { type FakePlugin, fakeExec, outcome } from '@cni/invoke/testing'
import { CniError, type Conflist, toErrorDocument } from '@cni/types'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TempDir, tempDir } from '../test/temp-dir.ts'
import { cni } from './cni.ts'
import { RuntimeError } from './errors.ts'

let temp: TempDir
beforeEach(() => {
  temp = tempDir()
})
afterEach(() => temp[Symbol.dispose]())

const rt = { containerID: 'c1', netns: '/ns/1', ifName: 'eth0', args: [['A', '1'] as const] }
const first = { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }], vendor: 'kept' }
const failing = (code: number, msg: string) => () => {
  throw new CniError(code, msg, { details: 'dd' })
}

const list = (cniVersion: string | undefined, ...types: string[]): Conflist => ({
  ...(cniVersion === undefined ? {} : { cniVersion }),
  name: 'net1',
  plugins: types.map((type) => ({ type })),
})

function setUp(plugins: Record<string, FakePlugin>) {
  const exec = fakeExec(plugins)
  const runtime = cni({ path: ['/opt/cni/bin'], cacheDir: temp.dir, exec, env: {}, stderr: () => undefined })
  return { exec, runtime, log: () => exec.calls.map(({ command, type }) => `${command} ${type}`) }
}

const cached = () => `${temp.dir}/results/net1-c1-eth0`

describe('add', () => {
  test('runs the plugins in order, each with the result of the one before, and remembers the last result', async () => {
    const second = { ...first, routes: [{ dst: '0.0.0.0/0' }] }
    const { exec, runtime, log } = setUp({ a: { ADD: first }, b: { ADD: second } })
    const { document, result } = await runtime.add(list('1.1.0', 'a', 'b'), rt)
    expect(log()).toEqual(['ADD a', 'ADD b'])
    expect(exec.calls.map(({ conf }) => conf.prevResult)).toEqual([undefined, first])
    expect(document).toEqual(second)
    expect(result.routes).toEqual([{ dst: '0.0.0.0/0' }])
    expect(JSON.parse(readFileSync(cached(), 'utf8')).result).toEqual(second)
    expect(exec.calls[0]?.env).toEqual({
      CNI_COMMAND: 'ADD',
      CNI_CONTAINERID: 'c1',
      CNI_NETNS: '/ns/1',
      CNI_IFNAME: 'eth0',
      CNI_ARGS: 'A=1',
      CNI_PATH: '/opt/cni/bin',
    })
  })

  test('passes a result on in the version the plugin wrote it in', async () => {
    const old = { cniVersion: '0.2.0', ip4: { ip: '10.0.0.2/24' } }
    const { exec, runtime } = setUp({ a: { ADD: old }, b: {} })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    expect(exec.calls[1]?.conf.prevResult).toEqual(old)
  })

  test('ends at the first failure: no DEL, nothing remembered, the code of the plugin is found', async () => {
    const { runtime, log } = setUp({ a: { ADD: first }, b: failing(7, 'bad'), c: {} })
    const conflist = list('1.1.0', 'a', 'b', 'c')
    conflist.plugins[1] = { type: 'b', name: 'second' }
    const error = await failure(runtime.add(conflist, rt))
    expect(error).toBeInstanceOf(RuntimeError)
    expect(error).toMatchObject({ code: 'PLUGIN', message: 'plugin type="b" name="second" failed (add): bad; dd' })
    expect(toErrorDocument(error)).toEqual({ code: 7, msg: 'bad', details: 'dd' })
    expect(log()).toEqual(['ADD a', 'ADD b'])
    expect(existsSync(cached())).toBe(false)
  })

  test.each([
    ['exit 3', outcome({ exitCode: 3 }), 'netplugin failed with no error message: exit status 3'],
    ['signal', outcome({ signal: 'SIGKILL' }), 'netplugin failed with no error message: signal: killed'],
    ['noise', outcome({ exitCode: 3, stderr: 'to stderr\n' }), 'netplugin failed: "to stderr\\n": exit status 3'],
    ['silence', outcome({}), 'failed to unmarshal raw result: unexpected end of JSON input'],
  ])('tells how a plugin ended: %s', async (_, how, text) => {
    const { runtime } = setUp({ a: () => how })
    await expect(runtime.add(list('1.1.0', 'a'), rt)).rejects.toThrow(`plugin type="a" failed (add): ${text}`)
  })

  test.each([
    [{ ...rt, containerID: '' }, 3, 'missing containerID'],
    [{ ...rt, containerID: '../x' }, 4, 'invalid characters in containerID; ../x'],
    [{ ...rt, ifName: 'a b' }, 4, 'interface name contains / or : or whitespace characters'],
    [{ ...rt, ifName: '' }, 4, 'interface name is empty'],
  ])('refuses an attachment that no plugin could take: %j', async (wrong, code, text) => {
    const { exec, runtime } = setUp({ a: {} })
    const error = await failure(runtime.add(list('1.1.0', 'a'), wrong))
    expect(error.message).toBe(`plugin type="a" failed (add): ${text}`)
    expect(toErrorDocument(error).code).toBe(code)
    expect(exec.calls).toEqual([])
  })

  test('a plugin that is not there is named with the path', async () => {
    const { runtime } = setUp({})
    const error = await failure(runtime.add(list('1.1.0', 'gone'), { ...rt, containerID: '' }))
    expect(error.message).toBe('plugin type="gone" failed (add): failed to find plugin "gone" in path [/opt/cni/bin]')
    expect(toErrorDocument(error).code).toBe(999)
  })

  test('says so when the result cannot be remembered', async () => {
    temp.write('results', 'a file where the folder should be')
    const { runtime } = setUp({ a: { ADD: first } })
    const error = await failure(runtime.add(list('1.1.0', 'a'), rt))
    expect(error).toMatchObject({ code: 'CACHE' })
    expect(error.message).toMatch(/^failed to set network "net1" cached result: /)
  })

  test('a list without plugins is an error', async () => {
    await expect(setUp({}).runtime.add(list('1.1.0'), rt)).rejects.toThrow('network "net1" has no plugins')
  })
})

describe('check', () => {
  test('runs the plugins in order, all with the remembered result', async () => {
    const { exec, runtime, log } = setUp({ a: { ADD: first }, b: {} })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    await runtime.check(list('1.1.0', 'a', 'b'), rt)
    expect(log().slice(2)).toEqual(['CHECK a', 'CHECK b'])
    expect(exec.calls.slice(2).map(({ conf }) => conf.prevResult)).toEqual([first, first])
  })

  test('throws the first error as it is', async () => {
    const { runtime, log } = setUp({ a: failing(100, 'drift'), b: {} })
    await expect(runtime.check(list('1.1.0', 'a', 'b'), rt)).rejects.toMatchObject({ code: 100, message: 'drift' })
    expect(log()).toEqual(['CHECK a'])
  })

  test.each(['0.3.1', '', undefined])('version %j does not know it', async (version) => {
    const { runtime, log } = setUp({ a: {} })
    await expect(runtime.check({ ...list(version, 'a'), disableCheck: true }, rt)).rejects.toMatchObject({
      code: 'CHECK_UNSUPPORTED',
      message: `configuration version "${version ?? ''}" does not support the CHECK command`,
    })
    expect(log()).toEqual([])
  })

  test('disableCheck succeeds without running anything', async () => {
    const { runtime, log } = setUp({ a: {} })
    await runtime.check({ ...list('1.1.0', 'a'), disableCheck: true }, rt)
    expect(log()).toEqual([])
  })

  test('runs without a result when nothing is remembered', async () => {
    const { exec, runtime } = setUp({ a: {} })
    await runtime.check(list('1.1.0', 'a'), rt)
    expect(exec.calls[0]?.conf).not.toHaveProperty('prevResult')
  })

  test.each(['', '{"kind":"cniCacheV1"', '{"cniVersion":"9.9.9"}'])(
    'a bad cache file is an error: %j',
    async (text) => {
      temp.write('results/net1-c1-eth0', text)
      const { runtime, log } = setUp({ a: {} })
      const error = await failure(runtime.check(list('1.1.0', 'a'), rt))
      expect(error.message).toMatch(/^failed to get network "net1" cached result: /)
      expect(log()).toEqual([])
    },
  )
})

describe('del', () => {
  test('runs the plugins in reverse order with the remembered result, then forgets it', async () => {
    const { exec, runtime, log } = setUp({ a: { ADD: first }, b: {} })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    await runtime.del(list('1.1.0', 'a', 'b'), rt)
    expect(log().slice(2)).toEqual(['DEL b', 'DEL a'])
    expect(exec.calls.slice(2).map(({ conf }) => conf.prevResult)).toEqual([first, first])
    expect(existsSync(cached())).toBe(false)
  })

  test('runs again without a result', async () => {
    const { exec, runtime, log } = setUp({ a: {} })
    await runtime.del(list('1.1.0', 'a'), rt)
    await runtime.del(list('1.1.0', 'a'), { ...rt, netns: '' })
    expect(log()).toEqual(['DEL a', 'DEL a'])
    expect(exec.calls[1]?.conf).not.toHaveProperty('prevResult')
    expect(exec.calls[1]?.env.CNI_NETNS).toBe('')
  })

  test('ends at the first failure and keeps the result', async () => {
    const { runtime, log } = setUp({ a: { ADD: first }, b: { DEL: failing(7, 'bad') } })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    await expect(runtime.del(list('1.1.0', 'a', 'b'), rt)).rejects.toThrow('plugin type="b" failed (delete): bad; dd')
    expect(log().slice(2)).toEqual(['DEL b'])
    expect(existsSync(cached())).toBe(true)
  })

  test.each(['0.3.1', '', undefined])('version %j has no result', async (version) => {
    const { exec, runtime } = setUp({ a: { ADD: {} } })
    await runtime.add(list(version, 'a'), rt)
    await runtime.del(list(version, 'a'), rt)
    expect(exec.calls[1]?.conf).not.toHaveProperty('prevResult')
    expect(existsSync(cached())).toBe(false)
  })

  test.each(['', '{"kind":"cniCacheV1"', '{"cniVersion":"9.9.9"}'])(
    'a bad cache file counts as absent and is removed, even when a plugin fails: %j',
    async (text) => {
      temp.write('results/net1-c1-eth0', text)
      const { exec, runtime } = setUp({ a: failing(7, 'bad') })
      await expect(runtime.del(list('1.1.0', 'a'), rt)).rejects.toThrow('failed (delete)')
      expect(exec.calls[0]?.conf).not.toHaveProperty('prevResult')
      expect(existsSync(cached())).toBe(false)
    },
  )

  test('a version that is none is an error before anything runs', async () => {
    const { runtime, log } = setUp({ a: {} })
    await expect(runtime.del(list('one', 'a'), rt)).rejects.toThrow('invalid CNI version "one"')
    expect(log()).toEqual([])
  })

  test('a container id that leads out of the cache removes nothing', async () => {
    const victim = temp.write('victim', 'precious')
    const { runtime, log } = setUp({ a: {} })
    await expect(
      runtime.del(list('1.1.0', 'a'), { ...rt, containerID: 'x/../../victim', ifName: '' }),
    ).rejects.toMatchObject({ code: 'UNSAFE_NAME' })
    await expect(runtime.del(list('1.1.0', 'a'), { ...rt, containerID: '/../../victim' })).rejects.toThrow()
    expect(readFileSync(victim, 'utf8')).toBe('precious')
    expect(log()).toEqual([])
  })
})

describe('status', () => {
  test('asks in order and throws the first error with its code', async () => {
    const { runtime, exec, log } = setUp({ a: {}, b: failing(50, 'not ready'), c: {} })
    await expect(runtime.status(list('1.1.0', 'a', 'b', 'c'))).rejects.toMatchObject({ code: 50 })
    expect(log()).toEqual(['STATUS a', 'STATUS b'])
    expect(exec.calls[0]?.env).toMatchObject({ CNI_CONTAINERID: '', CNI_NETNS: '', CNI_IFNAME: '', CNI_ARGS: '' })
  })

  test.each(['1.0.0', '', undefined])('version %j is always ready', async (version) => {
    const { runtime, log } = setUp({ a: failing(50, 'not ready') })
    await runtime.status(list(version, 'a'))
    expect(log()).toEqual([])
  })
})

describe('gc', () => {
  const valid = [{ containerID: 'c1', ifname: 'eth0' }]

  test('deletes what is not valid any more with its remembered arguments, then asks every plugin', async () => {
    const { exec, runtime, log } = setUp({ a: { ADD: first } })
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

  test('goes on after failures and tells all of them', async () => {
    const { runtime, log } = setUp({ a: { ADD: first, DEL: failing(7, 'busy'), GC: failing(11, 'later') }, b: {} })
    await runtime.add(list('1.1.0', 'a', 'b'), rt)
    const error = await failure(runtime.gc(list('1.1.0', 'a', 'b'), { validAttachments: [] }))
    expect(error.message.split('\n')).toEqual([
      'failed to delete stale attachment c1 eth0: plugin type="a" failed (delete): busy; dd',
      'failed to GC plugin a: later; dd',
    ])
    expect(toErrorDocument(error)).toMatchObject({ code: 7 })
    expect(log().slice(2)).toEqual(['DEL b', 'DEL a', 'GC a', 'GC b'])
  })

  test('disableGC leaves everything alone', async () => {
    const { runtime, log } = setUp({ a: { ADD: first } })
    await runtime.add(list('1.1.0', 'a'), rt)
    await runtime.gc({ ...list('1.1.0', 'a'), disableGC: true }, { validAttachments: [] })
    expect(log()).toEqual(['ADD a'])
  })

  test('before 1.1.0 stale attachments are deleted, plugins are not asked', async () => {
    const { runtime, log } = setUp({ a: { ADD: first } })
    await runtime.add(list('1.0.0', 'a'), rt)
    await runtime.gc(list('1.0.0', 'a'), { validAttachments: [] })
    expect(log()).toEqual(['ADD a', 'DEL a'])
  })

  test('a cache that cannot be listed is an error, not an empty cache', async () => {
    temp.write('results', 'a file')
    await expect(setUp({ a: {} }).runtime.gc(list('1.1.0', 'a'), { validAttachments: [] })).rejects.toThrow(
      'cannot list the cached attachments',
    )
  })
})

describe('validate', () => {
  test('gives the declared capabilities', async () => {
    const conflist = list('1.1.0', 'a', 'b')
    conflist.plugins[0] = { type: 'a', capabilities: { mac: true, ips: false } }
    conflist.plugins[1] = { type: 'b', capabilities: { portMappings: true, mac: true } }
    expect(await setUp({ a: {}, b: {} }).runtime.validate(conflist)).toEqual(['mac', 'portMappings'])
  })

  test('gathers all errors', async () => {
    const old = { VERSION: { cniVersion: '0.4.0', supportedVersions: ['0.4.0'] } }
    const { runtime } = setUp({ a: old, b: {}, c: old })
    const error = await failure(runtime.validate(list('1.0.0', 'a', 'b', 'gone', 'c')))
    expect(error.message).toBe(
      '[plugin a does not support config version "1.0.0" ' +
        'failed to find plugin "gone" in path [/opt/cni/bin] ' +
        'plugin c does not support config version "1.0.0"]',
    )
  })

  test('a list without a version is 0.1.0', async () => {
    const { runtime } = setUp({ a: { VERSION: { cniVersion: '1.0.0', supportedVersions: ['1.0.0'] } } })
    await expect(runtime.validate(list(undefined, 'a'))).rejects.toThrow('does not support config version "0.1.0"')
  })
})

describe('the time of an operation', () => {
  const stuck = () => new Promise(() => undefined)
  const verbs = ['add', 'check', 'del', 'gc', 'status', 'validate'] as const

  test.each(verbs)('%s ends when it is over', async (verb) => {
    const { runtime } = setUp({ a: stuck })
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
    const { runtime, log } = setUp({ a: { ADD: first }, b: { ADD: slow }, c: {} })
    await expect(runtime.add(list('1.1.0', 'a', 'b', 'c'), rt, { timeout: 100 })).rejects.toThrow('type="b"')
    expect(log()).toEqual(['ADD a', 'ADD b'])
  })

  test("the runtime's own signal ends every operation", async () => {
    const runtime = cni({
      path: ['/x'],
      cacheDir: temp.dir,
      exec: fakeExec({ a: {} }),
      signal: AbortSignal.abort(),
    })
    expect(toErrorDocument(await failure(runtime.del(list('1.1.0', 'a'), rt))).code).toBe(11)
  })
})

test('attachments of one container on several interfaces are apart', async () => {
  const { runtime } = setUp({ a: { ADD: first } })
  await runtime.add(list('1.1.0', 'a'), rt)
  await runtime.add(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })
  await runtime.del(list('1.1.0', 'a'), rt)
  expect(runtime.cachedResult(list('1.1.0', 'a'), rt)).toBeUndefined()
  expect(runtime.cachedResult(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })).toEqual(first)
  expect(runtime.cachedAttachment(list('1.1.0', 'a'), { ...rt, ifName: 'eth1' })).toMatchObject({ netns: '/ns/1' })
})

async function failure(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => new TypeError('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).not.toBeInstanceOf(TypeError)
  return error as Error
}
