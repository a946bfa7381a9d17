import { delegate } from '@cni/invoke'
import { fakeExec } from '@cni/invoke/testing'
import { CniError } from '@cni/types'
import { expect, test } from 'vitest'
import { type Execution, observeExec } from './observe-exec.ts'

const env = { CNI_PATH: '/bin' }
const conf = { cniVersion: '1.0.0', name: 'net', type: 'x' }

test('every execution is reported once at its end, with its input and output', async () => {
  const seen: Execution[] = []
  const failing = () => {
    throw new CniError(7, 'bad')
  }
  const exec = observeExec(fakeExec({ local: { ADD: { cniVersion: '1.0.0' }, DEL: failing } }), (one) => seen.push(one))
  expect(await delegate('local', { raw: conf, env }, { exec }).add()).toEqual({ cniVersion: '1.1.0' })
  await expect(delegate('local', { raw: conf, env }, { exec }).del()).rejects.toMatchObject({ code: 7 })
  expect(seen).toMatchObject([
    { request: { path: '/fake/local', env: { CNI_COMMAND: 'ADD' } }, outcome: { exitCode: 0 } },
    { request: { env: { CNI_COMMAND: 'DEL' } }, outcome: { exitCode: 1, stdout: expect.stringContaining('bad') } },
  ])
})

test('a plugin that is not found is not an execution', () => {
  const seen: Execution[] = []
  const exec = observeExec(fakeExec({}), (one) => seen.push(one))
  expect(() => exec.find('gone', ['/bin'])).toThrow('failed to find plugin "gone"')
  expect(seen).toEqual([])
})
