import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { captureDefaults } from '../redirect/config.ts'
import { attachmentsIn } from './attachments.ts'

test('a state file that is a pipe is an error at once, and can be forgotten', () => {
  const runDir = mkdtempSync(join(tmpdir(), 'attachments-'))
  onTestFinished(() => rmSync(runDir, { recursive: true }))
  const state = attachmentsIn(runDir)
  const key = { network: 'pods', containerID: 'abc', ifName: 'eth0' }
  const netns = { dev: 4, ino: 4026532281 }
  const families = ['ipv4'] as const
  state.write({ v: 1, ...key, netns, backend: 'nft', families, rules: captureDefaults, tproxy: null, applied: false })
  const [name = ''] = readdirSync(join(runDir, 'attachments'))
  const path = join(runDir, 'attachments', name)
  rmSync(path)
  execFileSync('mkfifo', [path])
  expect(() => state.read(key)).toThrow(`state file ${path}: it is not a regular file`)
  expect(state.forget(key)).toBe(true)
})
