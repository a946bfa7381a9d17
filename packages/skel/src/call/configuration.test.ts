import { CNI_VERSIONS } from '@cni/types'
import { describe, expect, it } from 'vitest'
import { call, recorder } from '../../test/recorder.ts'

const VALID = '{"cniVersion":"1.1.0","name":"a"}'

describe('stdin', () => {
  it.each<[string, string | Uint8Array, number, string, string?]>([
    ['nothing', '', 6, 'error unmarshall network config: unexpected end of JSON input'],
    ['an open brace', '{', 6, 'error unmarshall network config: '],
    ['null', 'null', 7, 'missing network name'],
    ['an array', '[]', 6, 'error unmarshall network config: '],
    ['a number', '5', 6, 'error unmarshall network config: '],
    ['an empty object', '{}', 7, 'missing network name'],
    ['an empty name', '{"name":""}', 7, 'missing network name'],
    ['a null name', '{"name":null}', 7, 'missing network name'],
    ['a numeric name', '{"name":5}', 6, 'error unmarshall network config: '],
    ['a name with a bad first character', '{"name":"-a"}', 7, 'invalid characters found in network name', '-a'],
    ['a name with a space', '{"name":"a b"}', 7, 'invalid characters found in network name', 'a b'],
    ['a name with a newline', '{"name":"a\\n"}', 7, 'invalid characters found in network name', 'a\n'],
    ['a name with a letter outside ASCII', '{"name":"é"}', 7, 'invalid characters found in network name', 'é'],
    [
      'a name that is not UTF-8',
      Buffer.from('{"name":"\xff"}', 'latin1'),
      7,
      'invalid characters found in network name',
      '\ufffd',
    ],
    ['a numeric version', '{"name":"a","cniVersion":5}', 6, ''],
    ['a numeric version and a bad name', '{"name":"-","cniVersion":5}', 7, 'invalid characters found in network name'],
    ['trailing garbage', `${VALID} trailing`, 6, 'error unmarshall network config: '],
    ['a byte order mark', `\ufeff${VALID}`, 6, 'error unmarshall network config: '],
    ['an unreadable version', '{"name":"a","cniVersion":"abc"}', 1, 'incompatible CNI versions'],
    [
      'an unknown version',
      '{"name":"a","cniVersion":"9.9.9"}',
      1,
      'incompatible CNI versions',
      `config is "9.9.9", plugin supports [${CNI_VERSIONS.map((version) => `"${version}"`).join(' ')}]`,
    ],
  ])('with %s is rejected', async (_title, stdin, code, msg, details) => {
    const { plugin, calls } = recorder()
    const { error, exitCode } = await call(plugin, {}, stdin)
    expect(exitCode).toBe(1)
    expect(error.code).toBe(code)
    expect(error.msg).toContain(msg)
    if (details !== undefined) expect(error.details).toBe(details)
    expect(calls).toEqual([])
  })

  it('is not quoted in the error if it is malformed, because it may contain a secret', async () => {
    const { stdout, stderr } = await call(recorder().plugin, {}, '{"token":"hunter2"x}')
    expect(stdout + stderr).not.toContain('hunter2')
  })

  it.each([
    ['without a version', '{"name":"a"}'],
    ['with an empty version', '{"name":"a","cniVersion":""}'],
    ['with a null version', '{"name":"a","cniVersion":null}'],
    ['with members in other case', '{"NAME":"a","CNIVERSION":"1.0.0"}'],
    ['with a trailing newline', `${VALID}\n`],
    ['with a repeated member, the last of which wins', '{"name":"-","name":"y","cniVersion":"1.1.0"}'],
    ['with a member called __proto__', '{"__proto__":{"name":5},"name":"y","cniVersion":"1.1.0"}'],
  ])('%s reaches the handler unchanged', async (_title, stdin) => {
    const { plugin, calls } = recorder({
      add: (c) => {
        calls.push({ verb: c.cniVersion, raw: Buffer.from(c.raw).toString(), path: [] })
        return { ips: [{ address: '10.0.0.1/24' }] }
      },
    })
    const { exitCode } = await call(plugin, {}, stdin)
    expect(exitCode).toBe(0)
    expect(calls[0]?.raw).toBe(stdin)
  })

  it('an error has the version of the configuration, or none with goCompat', async () => {
    const conf = '{"cniVersion":"0.4.0","name":"a"}'
    const failing = { add: () => Promise.reject(new Error('boom <&> "q"')) }
    expect((await call(recorder(failing).plugin, {}, conf)).error.cniVersion).toBe('0.4.0')
    expect((await call(recorder({ ...failing, goCompat: true }).plugin, {}, conf)).stdout).toBe(
      '{\n    "code": 999,\n    "msg": "boom \\u003c\\u0026\\u003e \\"q\\""\n}',
    )
  })
})

describe('the version of the configuration enables CHECK, GC and STATUS', () => {
  const config = { code: 1, msg: 'config version does not allow' }
  const plugin = { code: 1, msg: 'plugin version does not allow' }
  const incompatible = { code: 1, msg: 'incompatible CNI versions' }
  const unreadable = { code: 6, msg: '' }
  const ok = 'ok'

  it.each([
    ['', config, config],
    ['0.3.1', config, config],
    ['0.4.0', ok, config],
    ['1.0.0', ok, config],
    ['1.1.0', ok, ok],
    ['1.2.0', plugin, plugin],
    ['1', incompatible, config],
    ['1.1', incompatible, incompatible],
    ['abc', unreadable, unreadable],
    ['1.1.0-rc1', unreadable, unreadable],
    ['1.1.0.0', unreadable, unreadable],
    ['-1.0.0', config, config],
  ] as const)('%j', async (version, check, others) => {
    for (const [command, expected] of [
      ['CHECK', check],
      ['GC', others],
      ['STATUS', others],
    ] as const) {
      const { plugin: recorded, calls } = recorder()
      const stdin = JSON.stringify({ name: 'a', cniVersion: version })
      const { error, exitCode } = await call(recorded, { CNI_COMMAND: command }, stdin)
      if (expected === 'ok') {
        expect(exitCode).toBe(0)
        expect(calls.map(({ verb }) => verb)).toEqual([command])
        continue
      }
      expect(error.code).toBe(expected.code)
      expect(error.msg).toContain(expected.msg)
      if (expected !== incompatible && expected.code === 1) expect(error.msg).toContain(command)
      expect(calls).toEqual([])
    }
  })

  it.each([
    [['bad', '0.4.0'], 6],
    [['0.4.0', 'bad'], undefined],
    [['1.0.0'], 1],
    [['0.1.0', '0.2.0', '0.3.0'], 1],
    [['0.1.0', '0.2.0', 'adsfasdf'], 6],
  ])('a plugin that supports %j, called with 0.4.0', async (versions, code) => {
    const { plugin: recorded } = recorder({ versions })
    const { error } = await call(recorded, { CNI_COMMAND: 'CHECK' }, '{"name":"a","cniVersion":"0.4.0"}')
    expect(error.code).toBe(code)
  })

  it('the name is checked before the version', async () => {
    const { error } = await call(recorder().plugin, { CNI_COMMAND: 'CHECK' }, '{"name":"te%%st","cniVersion":"x"}')
    expect(error.code).toBe(7)
  })
})
