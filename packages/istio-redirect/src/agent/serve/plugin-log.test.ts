import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { pluginLog } from './plugin-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugin-log-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, 'run/istio-cni.log')
const said: string[] = []
const at = (level: string) => (message: string) => void said.push(`${level} ${message}`)
const own = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }

/** Whether a descriptor of this process leads to the file. */
const isOpen = () =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file
    } catch {
      return false
    }
  })

test('lines are in the file at once, for its owner only, which is closed when no more come', async () => {
  const log = pluginLog(join(folder, 'run'), own)
  log(['{"a":1}\n', '{"a":2}\n'])
  log(['{"a":3}\n'])
  log([])
  expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"a":2}\n{"a":3}\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await vi.waitUntil(() => !isOpen(), { timeout: 10_000 })
  log(['{"a":4}\n'])
  expect(readFileSync(file, 'utf8').endsWith('3}\n{"a":4}\n')).toBe(true)
})

test('a file that cannot be written is told of once, and when it can be again', () => {
  said.length = 0
  mkdirSync(join(folder, 'run'), { recursive: true })
  symlinkSync('/dev/null', file)
  const log = pluginLog(join(folder, 'run'), own)
  for (let n = 0; n < 3; n += 1) log(['{"a":1}\n'])
  expect(said).toEqual([expect.stringMatching(/^warn the lines of served calls do not come to their file: .*ELOOP/)])
  rmSync(file)
  log(['{"a":2}\n'])
  expect(said.at(-1)).toBe('info the lines of served calls come to their file again')
  expect(readFileSync(file, 'utf8')).toBe('{"a":2}\n')
})
