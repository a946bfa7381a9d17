import { closeSync, openSync, readFileSync } from 'node:fs'
import { ErrorCode } from '@cni/types'
import { afterAll, describe, expect, test } from 'vitest'
import { execPortSuite } from '../test/exec-port.suite.ts'
import { scriptFolder } from '../test/script-folder.ts'
import type { PluginError } from './errors.ts'
import { execPlugin } from './exec-plugin.ts'
import { realExec } from './real-exec.ts'

const bin = scriptFolder()
afterAll(() => bin[Symbol.dispose]())
const options = { env: { PATH: '/usr/bin:/bin' }, stderr: () => undefined }

describe('real plugins', () => {
  const folder = scriptFolder()
  afterAll(() => folder[Symbol.dispose]())
  folder.script(
    'good',
    `case "$CNI_COMMAND" in
    ADD) printf '{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.2/24"}],"extra":1}' ;;
    VERSION) printf '{"cniVersion":"1.1.0","supportedVersions":["1.0.0","1.1.0"]}' ;;
  esac`,
  )
  folder.script('bad', `printf '{"code":7,"msg":"bad","details":"dd"}'; exit 1`)
  folder.script('silent', 'exit 3')
  folder.script('noisy', 'echo why >&2; exit 3')
  folder.script('killed', 'kill -9 $$')
  folder.script('stuck', 'exec sleep 60')

  execPortSuite(realExec(), folder.dir)
})

// Starts a child and a grandchild. The grandchild holds the pipes. Both must be gone after the test.
const hang = `sleep 60 & echo $$ $! > "$PIDS"; wait`

test('the deadline kills the plugin and its children, with code 11', async () => {
  const pids = `${bin.dir}/pids-deadline`
  const path = bin.script('hang', hang)
  const error = await failure(execPlugin(path, {}, { ...options, env: { ...options.env, PIDS: pids }, timeout: 500 }))
  expect(error).toMatchObject({ code: ErrorCode.tryAgainLater, reason: 'timeout', plugin: 'hang' })
  expect(error.message).toMatch(/^netplugin failed: not finished after \d+ ms, killed at the deadline$/)
  await allGone(pids)
})

test.each([
  ['an abort', () => abortAfter(500), 'aborted', /because the caller gave up: shutting down$/],
  ['a signal with a time-out', () => AbortSignal.timeout(500), 'timeout', /killed at the deadline$/],
])('%s kills the plugin and its children', async (_, makeSignal, reason, message) => {
  const pids = `${bin.dir}/pids-${reason}`
  const path = bin.script('hang', hang)
  const env = { ...options.env, PIDS: pids }
  const error = await failure(execPlugin(path, {}, { ...options, env, signal: makeSignal() }))
  expect(error).toMatchObject({ code: ErrorCode.tryAgainLater, reason })
  expect(error.message).toMatch(message)
  await allGone(pids)
})

test('the last output of a killed plugin is quoted', async () => {
  const body = `trap 'printf "{\\"code\\":11,\\"msg\\":\\"was waiting for the lock\\"}"; exit 1' TERM; sleep 60 & wait`
  const error = await failure(execPlugin(bin.script('polite', body), {}, { ...options, timeout: 500 }))
  expect(error).toMatchObject({ code: 11, details: 'it said: was waiting for the lock' })
})

test('a plugin that is being replaced is started again until it runs', async () => {
  const path = bin.script('replaced', 'printf done')
  const fd = openSync(path, 'r+')
  const timer = setTimeout(() => closeSync(fd), 250)
  try {
    expect(await execPlugin(path, {}, options)).toBe('done')
  } finally {
    clearTimeout(timer)
  }
})

test('a plugin that stays busy fails with code 11', async () => {
  const path = bin.script('busy', 'printf done')
  const fd = openSync(path, 'r+')
  try {
    const exec = realExec({ busyTimeout: 250 })
    const error = await failure(execPlugin(path, {}, { ...options, exec }))
    expect(error).toMatchObject({
      code: ErrorCode.tryAgainLater,
      reason: 'busy',
      message: `netplugin failed: ${path} is being replaced (text file busy)`,
    })
  } finally {
    closeSync(fd)
  }
})

test('the deadline applies while waiting for a busy plugin', async () => {
  const path = bin.script('busy-deadline', 'printf done')
  const fd = openSync(path, 'r+')
  try {
    const begun = performance.now()
    const error = await failure(execPlugin(path, {}, { ...options, timeout: 500 }))
    expect(error.code).toBe(ErrorCode.tryAgainLater)
    expect(performance.now() - begun).toBeLessThan(2000)
  } finally {
    closeSync(fd)
  }
})

async function failure(promise: Promise<unknown>): Promise<PluginError> {
  const error: unknown = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  return error as PluginError
}

function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('shutting down')), ms)
  return controller.signal
}

async function allGone(file: string): Promise<void> {
  const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number)
  expect(pids).toHaveLength(2)
  await expect.poll(() => pids.filter(isAlive), { timeout: 3000 }).toEqual([])
}

/** A zombie counts as dead. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
