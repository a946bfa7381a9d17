import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { open } from './open.ts'

test('a FIFO is refused without waiting for a writer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  expect(() => open(fifo)).toThrow(expect.objectContaining({ code: 'NOT_A_NAMESPACE' }))
})
