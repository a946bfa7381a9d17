import { CniError, ErrorCode, toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { delegate } from './delegate.ts'
import { fakeExec, outcome } from './testing/fake-exec.ts'

const env = { CNI_COMMAND: 'CHECK', CNI_CONTAINERID: 'c1', CNI_NETNS: '/ns', CNI_IFNAME: 'eth0', CNI_PATH: '/a::/b' }
const raw = '{"cniVersion":"1.0.0","name":"net","type":"parent","ipam":{"type":"local"}}'
const newer = raw.replace('1.0.0', '1.1.0')
const address = { cniVersion: '1.0.0', ips: [{ address: '10.1.0.2/24' }] }
const speaks = (...supportedVersions: string[]) => ({ cniVersion: supportedVersions.at(-1), supportedVersions })

describe('delegate', () => {
  test("ADD returns the result; the delegate gets its parent's environment and configuration", async () => {
    const exec = fakeExec({ local: { ADD: address } })
    const result = await delegate('local', { raw, env }, { exec }).add()
    expect(result.ips).toEqual([{ address: '10.1.0.2/24' }])
    expect(exec.calls).toMatchObject([{ type: 'local', stdin: raw, env: { ...env, CNI_COMMAND: 'ADD' } }])
  })

  test.each([
    ['CHECK', 'check', ['CHECK'], { kind: 'done', cniVersion: '1.1.0' }],
    ['DEL', 'del', ['DEL'], undefined],
    ['STATUS', 'status', ['VERSION', 'STATUS'], { kind: 'done', cniVersion: '1.1.0' }],
    ['GC', 'gc', ['VERSION', 'GC'], { kind: 'done', cniVersion: '1.1.0' }],
  ] as const)('%s runs that verb, whatever verb the parent runs', async (_, verb, commands, done) => {
    const exec = fakeExec({ local: {} })
    expect(await delegate('local', { raw: newer, env }, { exec })[verb]()).toEqual(done)
    expect(exec.calls.map(({ command }) => command)).toEqual(commands)
    expect(exec.calls.at(-1)?.stdin).toBe(newer)
  })

  test('without CNI_PATH no delegate is found', async () => {
    await expect(delegate('local', { raw, env: {} }, { exec: fakeExec({ local: {} }) }).del()).rejects.toThrow(
      'no paths provided',
    )
  })

  test.each([
    ['', 'NO_NAME', 'no plugin name provided'],
    ['../../bin/sh', 'INVALID_NAME', 'invalid plugin name: ../../bin/sh'],
    ['/bin/sh', 'INVALID_NAME', 'invalid plugin name: /bin/sh'],
    ['a\0b', 'INVALID_NAME', 'invalid plugin name: a\0b'],
    ['..', 'INVALID_NAME', 'invalid plugin name: ..'],
    ['.', 'INVALID_NAME', 'invalid plugin name: .'],
  ])('the type %j is rejected without a call of Exec', (type, code, message) => {
    const exec = { find: () => '/bin/sh', run: () => Promise.reject(new Error('ran')) }
    expect(() => delegate(type, { raw, env }, { exec })).toThrow(expect.objectContaining({ code, message }))
  })

  test("the delegate's error keeps its code", async () => {
    const exec = fakeExec({
      local: () => {
        throw new CniError(ErrorCode.tryAgainLater, 'no addresses', { details: 'range full' })
      },
    })
    const error = await delegate('local', { raw, env }, { exec })
      .check()
      .catch((reason: unknown) => reason)
    expect(toErrorDocument(error)).toEqual({ code: 11, msg: 'no addresses', details: 'range full' })
    expect(exec.calls).toHaveLength(1)
  })
})

describe('a failed ADD', () => {
  const fails = () => outcome({ exitCode: 1, stdout: '{"code":7,"msg":"bad","details":"dd"}' })

  test('is followed by DEL of the same plugin, and throws the error of the ADD', async () => {
    const exec = fakeExec({ local: { ADD: fails } })
    await expect(delegate('local', { raw, env }, { exec }).add()).rejects.toMatchObject({
      code: 7,
      message: 'bad',
      details: 'dd',
    })
    expect(exec.calls.map(({ command, stdin }) => [command, stdin])).toEqual([
      ['ADD', raw],
      ['DEL', raw],
    ])
  })

  test('is followed by DEL if its output is not a result', async () => {
    const exec = fakeExec({ local: { ADD: () => outcome({ stdout: 'done!' }) } })
    await expect(delegate('local', { raw, env }, { exec }).add()).rejects.toThrow(/got "done!"$/)
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'DEL'])
  })

  test('reports a failed DEL too', async () => {
    const del = () => outcome({ exitCode: 1, stdout: '{"code":5,"msg":"disk full"}' })
    const exec = fakeExec({ local: { ADD: fails, DEL: del } })
    const error = await delegate('local', { raw, env }, { exec })
      .add()
      .catch((reason: unknown) => reason)
    expect(toErrorDocument(error)).toEqual({
      code: 7,
      msg: 'bad',
      details: 'dd; undoing it failed as well (DEL): disk full',
    })
  })

  test('is followed by DEL even if the caller has aborted', async () => {
    const controller = new AbortController()
    const exec = fakeExec({
      local: {
        ADD: () => {
          controller.abort()
          return new Promise(() => undefined)
        },
      },
    })
    const add = delegate('local', { raw, env, signal: controller.signal }, { exec }).add()
    await expect(add).rejects.toMatchObject({ code: ErrorCode.tryAgainLater, reason: 'aborted' })
    expect(exec.calls.map(({ command, signal }) => [command, signal?.aborted])).toEqual([
      ['ADD', true],
      ['DEL', undefined],
    ])
  })

  test.each([
    ['{"cniVersion":"1.1.0"', { code: 'INVALID_CONF', message: expect.stringContaining('is not JSON') }, []],
    ['{"cniVersion":"abc"}', { code: 1, details: 'config is "abc", plugin supports ["1.0.0"]' }, ['ADD']],
  ])('for the configuration %s is followed by no DEL', async (conf, error, commands) => {
    const exec = fakeExec({ local: { VERSION: speaks('1.0.0') } })
    await expect(delegate('local', { raw: conf, env }, { exec }).add()).rejects.toMatchObject(error)
    expect(exec.calls.map(({ command }) => command)).toEqual(commands)
  })

  test('for a missing plugin is followed by no DEL', async () => {
    const exec = fakeExec({})
    const steps: unknown[] = []
    const c = { raw, env, undo: (step: unknown) => void steps.push(step) }
    await expect(delegate('local', c, { exec }).add()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect([exec.calls, steps]).toEqual([[], []])
  })
})

describe('undo of the context', () => {
  type Step = (options: { readonly signal: AbortSignal }) => Promise<void>

  test('receives the DEL before ADD runs', async () => {
    const steps: Step[] = []
    const ADD = async () => {
      await Promise.resolve()
      return { ...address, known: steps.length }
    }
    const exec = fakeExec({ local: { ADD } })
    const result = await delegate('local', { raw, env, undo: (step) => void steps.push(step) }, { exec }).add()
    expect(result.known).toBe(1)
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD'])
    const { signal } = new AbortController()
    for (const step of steps) await step({ signal })
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'DEL'])
    expect(exec.calls[1]?.signal).toBe(signal)
  })

  test('waits for a running ADD, then runs DEL once', async () => {
    const steps: Step[] = []
    let print: (answer: unknown) => void = () => undefined
    const printed = new Promise<unknown>((resolve) => {
      print = resolve
    })
    const exec = fakeExec({ local: { ADD: () => printed } })
    const adding = delegate('local', { raw, env, undo: (step) => void steps.push(step) }, { exec }).add()
    const undone = steps.map((step) => step(new AbortController()))
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD'])
    print(outcome({ exitCode: 1, stdout: '{"code":7,"msg":"bad"}' }))
    await expect(adding).rejects.toThrow('bad')
    await Promise.all(undone)
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'DEL'])
  })
})

describe('version negotiation', () => {
  const old = { VERSION: speaks('0.3.1', '0.4.0', '1.0.0'), ADD: address }

  test('a rejected version is replaced by the newest common one in a second execution', async () => {
    const exec = fakeExec({ local: old })
    const result = await delegate('local', { raw: newer, env }, { exec }).add()
    expect(result).toMatchObject({ cniVersion: '1.1.0', ips: address.ips })
    expect(exec.calls.map(({ command, stdin }) => [command, stdin])).toEqual([
      ['ADD', newer],
      ['ADD', raw],
    ])
  })

  test('the version is remembered: DEL after ADD needs one execution', async () => {
    const exec = fakeExec({ local: old })
    const local = delegate('local', { raw: newer, env }, { exec })
    await local.add()
    await local.del()
    expect(exec.calls.map(({ command, conf }) => `${command} ${conf.cniVersion}`)).toEqual([
      'ADD 1.1.0',
      'ADD 1.0.0',
      'DEL 1.0.0',
    ])
  })

  test('VERSION is queried if a refusal names no version', async () => {
    const refuse = ({ conf }: { readonly conf: Readonly<Record<string, unknown>> }) => {
      if (conf.cniVersion !== '0.4.0') throw new CniError(ErrorCode.incompatibleVersion, 'too new')
      return { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.1.0.2/24' }] }
    }
    const exec = fakeExec({ local: { VERSION: () => speaks('0.4.0'), ADD: refuse } })
    const { ips } = await delegate('local', { raw, env }, { exec }).add()
    expect(ips).toEqual([{ address: '10.1.0.2/24' }])
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'VERSION', 'ADD'])
  })

  test("without a common version, the delegate's refusal is thrown and no DEL runs", async () => {
    const exec = fakeExec({ local: { VERSION: speaks('7.0.0'), ADD: address } })
    const steps: Array<(options: { readonly signal: AbortSignal }) => Promise<void>> = []
    const c = {
      raw,
      env,
      undo: (step: (options: { readonly signal: AbortSignal }) => Promise<void>) => void steps.push(step),
    }
    await expect(delegate('local', c, { exec }).add()).rejects.toMatchObject({
      code: 1,
      message: 'incompatible CNI versions',
      details: 'config is "1.0.0", plugin supports ["7.0.0"]',
    })
    for (const step of steps) await step(new AbortController())
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'VERSION'])
  })

  test.each([
    ['gc', ['0.4.0', '1.0.0'], newer, 'GC came with version 1.1.0, and local knows 1.0.0 at most'],
    ['status', ['0.4.0'], newer, 'STATUS came with version 1.1.0, and local knows 0.4.0 at most'],
    ['gc', ['1.0.0', '1.1.0'], raw, 'GC came with version 1.1.0, and the configuration is of version 1.0.0'],
    ['check', ['0.3.1'], raw, 'CHECK came with version 0.4.0, and local knows 0.3.1 at most'],
    ['check', ['0.3.1'], '{"name":"n"}', 'CHECK came with version 0.4.0, and the configuration is of version 0.1.0'],
  ] as const)('skips %s for a delegate that supports %j', async (verb, supported, conf, reason) => {
    const exec = fakeExec({ local: { VERSION: speaks(...supported) } })
    expect(await delegate('local', { raw: conf, env }, { exec })[verb]()).toEqual({ kind: 'skipped', reason })
    const asked = exec.calls.filter(({ conf: { cniVersion } }) => supported.some((one) => one === cniVersion))
    expect(asked.map(({ command }) => command).filter((command) => command !== 'VERSION')).toEqual([])
  })
})
