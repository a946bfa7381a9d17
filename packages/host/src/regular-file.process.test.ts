import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isReadError, openRegularFile, ReadError, readRegularFile } from './regular-file.ts'

const countOpen = (): number => readdirSync('/proc/self/fd').length

let folder: string
const path = (name: string): string => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-host-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file is read up to the limit, also through a symbolic link', () => {
  writeFileSync(path('file'), 'four')
  symlinkSync('file', path('link'))
  expect([readRegularFile(path('file'), 4), readRegularFile(path('link'), 4)]).toEqual(['four', 'four'])
  expect(() => readRegularFile(path('file'), 3)).toThrow('it has 4 bytes, more than 3')
})

test('an opened file comes with its size, and O_NOFOLLOW refuses a link', () => {
  writeFileSync(path('file'), 'four')
  symlinkSync('file', path('link'))
  const { fd, stat } = openRegularFile(path('file'), constants.O_NOFOLLOW)
  expect([readFileSync(fd, 'utf8'), stat.size]).toEqual(['four', 4])
  closeSync(fd)
  expect(() => openRegularFile(path('link'), constants.O_NOFOLLOW)).toThrow(expect.objectContaining({ code: 'ELOOP' }))
})

test.each([
  ['a pipe without a writer', (name: string) => void execFileSync('mkfifo', [name])],
  ['a folder', (name: string) => void mkdirSync(name)],
  ['a device', (name: string) => symlinkSync('/dev/zero', name)],
])('%s is refused at once, and its descriptor is closed', (_, make) => {
  make(path('odd'))
  const open = countOpen()
  expect(() => readRegularFile(path('odd'), 10)).toThrow(
    new ReadError('NOT_REGULAR', path('odd'), 'it is not a regular file'),
  )
  expect(countOpen()).toBe(open)
})

test('a socket cannot be opened', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path('socket'), resolve))
  try {
    expect(() => readRegularFile(path('socket'), 10)).toThrow(expect.objectContaining({ code: 'ENXIO' }))
  } finally {
    server.close()
  }
})

test('isReadError recognises an error of another copy of the package', () => {
  expect(isReadError(new ReadError('TOO_LARGE', '/x', 'it has 2 bytes, more than 1'))).toBe(true)
  expect(isReadError(Object.assign(new Error('x'), { [Symbol.for('cni.ReadError')]: true }))).toBe(true)
  expect(isReadError(Object.assign(new Error('x'), { code: 'TOO_LARGE' }))).toBe(false)
})
