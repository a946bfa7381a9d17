import { CniError, ErrorCode, toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { delegateAdd, delegateCheck, delegateDel, delegateGC, delegateStatus } from './delegate.ts'
import { fakeExec, outcome } from './testing/fake-exec.ts'

const env = { CNI_COMMAND: 'CHECK', CNI_CONTAINERID: 'c1', CNI_NETNS: '/ns', CNI_IFNAME: 'eth0', CNI_PATH: '/a::/b' }
const raw = '{"cniVersion":"1.0.0","name":"net","type":"parent","ipam":{"type":"local"}}'
const address = { cniVersion: '1.0.0', ips: [{ address: '10.1.0.2/24' }] }

describe('delegation', () => {
  test('ADD gives the result; the delegate has the environment and the very configuration of its parent', async () => {
    const exec = fakeExec({ local: { ADD: address } })
    const result = await delegateAdd('local', raw, { exec, env })
    expect(result.ips).toEqual([{ address: '10.1.0.2/24' }])
    expect(exec.calls).toMatchObject([{ type: 'local', stdin: raw, env: { ...env, CNI_COMMAND: 'ADD' } }])
  })

  test.each([
    ['CHECK', delegateCheck],
    ['DEL', delegateDel],
    ['STATUS', delegateStatus],
    ['GC', delegateGC],
  ] as const)('%s runs that verb, whatever the parent runs', async (verb, delegate) => {
    const exec = fakeExec({ local: {} })
    await delegate('local', raw, { exec, env })
    expect(exec.calls.map(({ command, stdin }) => [command, stdin])).toEqual([[verb, raw]])
  })

  test('without CNI_PATH nothing is found', async () => {
    await expect(delegateDel('local', raw, { exec: fakeExec({ local: {} }), env: {} })).rejects.toThrow(
      'no paths provided',
    )
  })

  test("the delegate's error keeps its code", async () => {
    const exec = fakeExec({
      local: () => {
        throw new CniError(ErrorCode.tryAgainLater, 'no addresses', { details: 'range full' })
      },
    })
    const error = await delegateAdd('local', raw, { exec, env }).catch((reason: unknown) => reason)
    expect(toErrorDocument(error)).toEqual({ code: 11, msg: 'no addresses', details: 'range full' })
    expect(exec.calls).toHaveLength(1)
  })
})

describe('addOrUndo', () => {
  const fails = () => outcome({ exitCode: 1, stdout: '{"code":7,"msg":"bad","details":"dd"}' })

  test('runs DEL of the same plugin after a failed ADD, and throws the error of the ADD', async () => {
    const exec = fakeExec({ local: { ADD: fails } })
    await expect(delegateAdd('local', raw, { exec, env, addOrUndo: true })).rejects.toMatchObject({
      code: 7,
      message: 'bad',
      details: 'dd',
    })
    expect(exec.calls.map(({ command, stdin }) => [command, stdin])).toEqual([
      ['ADD', raw],
      ['DEL', raw],
    ])
  })

  test('runs DEL when ADD printed something that is no result', async () => {
    const exec = fakeExec({ local: { ADD: () => outcome({ stdout: 'done!' }) } })
    await expect(delegateAdd('local', raw, { exec, env, addOrUndo: true })).rejects.toThrow(/got "done!"$/)
    expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'DEL'])
  })

  test('tells of a DEL that failed as well', async () => {
    const del = () => outcome({ exitCode: 1, stdout: '{"code":5,"msg":"disk full"}' })
    const exec = fakeExec({ local: { ADD: fails, DEL: del } })
    const error = await delegateAdd('local', raw, { exec, env, addOrUndo: true }).catch((reason: unknown) => reason)
    expect(toErrorDocument(error)).toEqual({
      code: 7,
      msg: 'bad',
      details: 'dd; undoing it failed as well (DEL): disk full',
    })
  })

  test('runs DEL although the caller has given up', async () => {
    const controller = new AbortController()
    const exec = fakeExec({
      local: {
        ADD: () => {
          controller.abort()
          return new Promise(() => undefined)
        },
      },
    })
    const add = delegateAdd('local', raw, { exec, env, signal: controller.signal, addOrUndo: true })
    await expect(add).rejects.toMatchObject({ code: ErrorCode.tryAgainLater, reason: 'aborted' })
    expect(exec.calls.map(({ command, signal }) => [command, signal?.aborted])).toEqual([
      ['ADD', true],
      ['DEL', undefined],
    ])
  })

  test('does nothing after a successful ADD', async () => {
    const exec = fakeExec({ local: { ADD: address } })
    await delegateAdd('local', raw, { exec, env, addOrUndo: true })
    expect(exec.calls).toHaveLength(1)
  })
})
