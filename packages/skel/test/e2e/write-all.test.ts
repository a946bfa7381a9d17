import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { writeAll } from '../../src/main/write-all.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-skel-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('writeAll writes every byte to a non-blocking pipe', async () => {
  const [pipe, copy] = [join(folder, 'pipe'), join(folder, 'copy')]
  execFileSync('mkfifo', [pipe])
  // Opens both ends, so that opening does not wait for a reader.
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  const text = 'x'.repeat(1_000_000)
  const reader = spawn('sh', ['-c', `head -c ${text.length} < ${pipe} > ${copy}`])
  expect(writeAll(fd, text)).toBeUndefined()
  await new Promise((resolve) => reader.on('close', resolve))
  closeSync(fd)
  expect(readFileSync(copy, 'utf8')).toBe(text)
})

it('writeAll returns the error of a descriptor that is not writable', () => {
  const fd = openSync('/dev/null', 'r')
  expect(writeAll(fd, 'x')).toMatchObject({ code: 'EBADF' })
  closeSync(fd)
})
