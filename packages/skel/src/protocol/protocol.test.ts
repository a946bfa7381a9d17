import { runPlugin } from '@cni/skel'
import { describe, expect, it } from 'vitest'
import { call, DEFAULT_ENV, recorder } from '../../test/recorder.ts'

const VERSIONS = ['9.8.7', '10.0.0']
const CONF = '{"name":"skel-test","some":"config","cniVersion":"9.8.7"}'

describe('checks have the order and messages of the reference implementation', () => {
  it('ADD calls its handler once, with unchanged stdin', async () => {
    const { plugin, calls } = recorder({ versions: VERSIONS })
    await call(plugin, {}, CONF)
    expect(calls).toEqual([
      {
        verb: 'ADD',
        containerID: 'some-container-id',
        ifName: 'eth0',
        netns: '/some/netns/path',
        raw: CONF,
        path: ['/some/cni/path'],
      },
    ])
  })

  it.each([
    ['CNI_CONTAINERID', 'some-%%container-id', 'invalid characters in containerID', 'some-%%container-id'],
    ['CNI_CONTAINERID', 'abc\n', 'invalid characters in containerID', 'abc\n'],
    ['CNI_CONTAINERID', '.a', 'invalid characters in containerID', '.a'],
    [
      'CNI_IFNAME',
      '1234567890123456',
      'interface name is too long',
      'interface name should be less than 16 characters',
    ],
    ['CNI_IFNAME', '.', 'interface name is . or ..', undefined],
    ['CNI_IFNAME', '..', 'interface name is . or ..', undefined],
    ['CNI_IFNAME', 'test/test', 'interface name contains / or : or whitespace characters', undefined],
    ['CNI_IFNAME', 'test:test', 'interface name contains / or : or whitespace characters', undefined],
    ['CNI_IFNAME', 'test test', 'interface name contains / or : or whitespace characters', undefined],
    ['CNI_IFNAME', 'a\tb', 'interface name contains / or : or whitespace characters', undefined],
    ['CNI_IFNAME', 'a\u00a0b', 'interface name contains / or : or whitespace characters', undefined],
  ])('%s=%j is rejected with code 4', async (name, value, msg, details) => {
    const { plugin, calls } = recorder({ versions: VERSIONS })
    const { error, exitCode } = await call(plugin, { [name]: value }, CONF)
    expect({ exitCode, error }).toEqual({
      exitCode: 1,
      error: { cniVersion: '1.1.0', code: 4, msg, ...(details === undefined ? {} : { details }) },
    })
    expect(calls).toEqual([])
  })

  const required: Record<string, string[]> = {
    ADD: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME', 'CNI_PATH'],
    CHECK: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME', 'CNI_PATH'],
    DEL: ['CNI_CONTAINERID', 'CNI_IFNAME', 'CNI_PATH'],
    GC: ['CNI_PATH'],
    STATUS: ['CNI_PATH'],
    VERSION: [],
  }

  for (const [command, names] of Object.entries(required)) {
    const conf = CONF.replace('9.8.7', '1.1.0')
    it.each(Object.keys(DEFAULT_ENV).filter((name) => name !== 'CNI_COMMAND'))(
      `${command} without %s fails only if it requires it`,
      async (name) => {
        const { exitCode, error } = await call(recorder().plugin, { CNI_COMMAND: command, [name]: undefined }, conf)
        if (!names.includes(name)) return expect(exitCode).toBe(0)
        return expect(error).toMatchObject({ code: 4, msg: `required env variables [${name}] missing` })
      },
    )

    it(`${command} reports all missing variables in a fixed order`, async () => {
      const { exitCode, stdout } = await runPlugin(recorder().plugin, {
        env: { CNI_COMMAND: command },
        stdin: () => conf,
      })
      if (names.length === 0) return expect(exitCode).toBe(0)
      return expect(JSON.parse(stdout)).toMatchObject({
        code: 4,
        msg: `required env variables [${names.join(',')}] missing`,
      })
    })
  }

  it('an invalid value has priority over missing ones', async () => {
    const { error } = await call(recorder().plugin, { CNI_CONTAINERID: '', CNI_IFNAME: 'a/b' }, CONF)
    expect(error.msg).toBe('interface name contains / or : or whitespace characters')
  })

  it('a variable that the verb does not require is not validated', async () => {
    const { plugin, calls } = recorder()
    await call(plugin, { CNI_COMMAND: 'GC', CNI_CONTAINERID: '%%' }, CONF.replace('9.8.7', '1.1.0'))
    expect(calls).toHaveLength(1)
  })

  it('empty elements of CNI_PATH are dropped', async () => {
    const { plugin, calls } = recorder({ versions: VERSIONS })
    await call(plugin, { CNI_PATH: ':/a::/b:' }, CONF)
    expect(calls[0]?.path).toEqual(['/a', '/b'])
  })

  it('a configuration without a version counts as 0.1.0', async () => {
    const conf = '{"name":"skel-test"}'
    const { plugin, calls } = recorder({ versions: ['0.1.0'] })
    await call(plugin, {}, conf)
    expect(calls).toHaveLength(1)
    const { error } = await call(recorder({ versions: ['4.3.2'] }).plugin, {}, conf)
    expect(error).toEqual({
      cniVersion: '1.1.0',
      code: 1,
      msg: 'incompatible CNI versions',
      details: 'config is "0.1.0", plugin supports ["4.3.2"]',
    })
  })

  it('an unknown command is reported after the configuration is checked', async () => {
    const { plugin, calls } = recorder()
    expect((await call(plugin, { CNI_COMMAND: 'NOPE', CNI_CONTAINERID: '%%' }, CONF)).error).toMatchObject({
      code: 4,
      msg: 'unknown CNI_COMMAND: NOPE',
    })
    expect((await call(plugin, { CNI_COMMAND: 'NOPE' }, '{')).error.code).toBe(6)
    expect((await call(plugin, { CNI_COMMAND: 'add' }, CONF)).error.msg).toBe('unknown CNI_COMMAND: add')
    expect((await call(plugin, { CNI_COMMAND: 'toString' }, CONF)).error.msg).toBe('unknown CNI_COMMAND: toString')
    expect(calls).toEqual([])
  })

  it('an unreadable stdin fails with code 5, and no handler runs', async () => {
    const { plugin, calls } = recorder()
    const { error } = await call(plugin, {}, () => {
      throw new Error('banana')
    })
    expect(error).toMatchObject({ code: 5, msg: 'error reading from stdin: banana' })
    expect(calls).toEqual([])
  })

  it('VERSION prints one line and does not read stdin', async () => {
    const { plugin, calls } = recorder({ versions: VERSIONS })
    const { exitCode, stdout } = await call(plugin, { CNI_COMMAND: 'VERSION' }, () => {
      throw new Error('read')
    })
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: '{"cniVersion":"1.1.0","supportedVersions":["9.8.7","10.0.0"]}\n',
    })
    expect(calls).toEqual([])
  })

  it('a plugin that is started by hand prints its description on stderr and succeeds', async () => {
    const { plugin } = recorder({ versions: VERSIONS, about: 'AWESOME PLUGIN' })
    expect(await runPlugin(plugin, { env: {}, stdin: () => '' })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'AWESOME PLUGIN\nCNI protocol versions supported: 9.8.7, 10.0.0\n',
    })
    const { exitCode } = await call(plugin, { CNI_COMMAND: '', CNI_CONTAINERID: '%%' }, CONF)
    expect(exitCode).toBe(0)
  })

  it('a plugin without a description that is started by hand reports the missing command', async () => {
    const { plugin } = recorder({ about: '' })
    expect((await call(plugin, { CNI_COMMAND: '', CNI_CONTAINERID: '%%' }, CONF)).error).toMatchObject({
      code: 4,
      msg: 'required env variables [CNI_COMMAND] missing',
    })
  })
})
