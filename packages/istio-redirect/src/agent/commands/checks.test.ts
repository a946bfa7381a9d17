import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkRuntimeEnv } from './check-runtime-env.ts'
import { checkToken, duration } from './check-token.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'checks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('variables that change the plugin are found in the environment of container runtimes only', () => {
  const process = (pid: number, comm: string, environ: string) => {
    mkdirSync(join(folder, String(pid)))
    writeFileSync(join(folder, String(pid), 'comm'), `${comm}\n`)
    writeFileSync(join(folder, String(pid), 'environ'), environ)
  }
  process(1, 'systemd', 'BUN_BE_BUN=1\0')
  process(
    7,
    'containerd',
    'PATH=/bin\0BUN_OPTIONS=--smol\0BUN_BE_BUN=\0BUN_INSPECT=1\0NODE_PATH=/x\0NODE_V8_COVERAGE=/x',
  )
  process(8, 'kubelet', 'BUN=1\0XBUN_OPTIONS=1\0NODE_NAME=node-1\0')
  mkdirSync(join(folder, '9'))
  const found = (runtime: 'bun' | 'node') => checkRuntimeEnv([join(folder, 'missing'), folder], runtime)
  const sentence = 'in the environment of containerd, and obeyed by istio-cni before its first line'
  const warning = { name: 'runtime', state: 'warn', subject: join(folder, '7') }
  expect([...found('bun'), ...found('node')]).toEqual([
    { ...warning, detail: `${sentence}: BUN_OPTIONS, BUN_BE_BUN, BUN_INSPECT, NODE_PATH; remove them there` },
    { ...warning, detail: `${sentence}: NODE_PATH, NODE_V8_COVERAGE; remove them there` },
  ])
  expect(checkRuntimeEnv([join(folder, 'missing')])).toEqual([])
})

test.each([
  ['', 'fail', 'it is empty'],
  ['not a JWT', 'ok', '0 s old'],
  [`x.${Buffer.from('{"exp":1000}').toString('base64url')}.x`, 'fail', 'expired'],
  [`x.${Buffer.from('{"exp":"soon"}').toString('base64url')}.x`, 'ok', '0 s old'],
  [`x.${Buffer.from('{"exp":99999999999}').toString('base64url')}.x`, 'ok', 'valid for'],
])('the token %j: %s', (token, state, detail) => {
  const path = join(folder, 'token')
  writeFileSync(path, token)
  expect(checkToken(path, Date.now())).toMatchObject({ state, subject: path, detail: expect.stringContaining(detail) })
})

test('a token that is no file is reported, not waited for', () => {
  expect(checkToken(folder, 0)).toMatchObject({ state: 'fail', detail: 'it is not a regular file' })
})

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [90_000_000, '1 d'],
  [-5, '0 s'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
