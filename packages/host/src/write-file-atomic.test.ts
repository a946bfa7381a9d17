import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFileAtomic } from './write-file-atomic.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-host-'))
  file = join(folder, '10-mesh.conflist')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const mode = (path: string) => statSync(path).mode & 0o7777

test('the file contains the text or the bytes, and the folder nothing else', () => {
  writeFileAtomic(file, 'text ü')
  expect(readFileSync(file, 'utf8')).toBe('text ü')
  writeFileAtomic(file, Uint8Array.of(0, 255))
  expect([...readFileSync(file)]).toEqual([0, 255])
  writeFileAtomic(file, '')
  expect(readFileSync(file, 'utf8')).toBe('')
  expect(readdirSync(folder)).toEqual(['10-mesh.conflist'])
})

test.each([0o000, 0o077, 0o022])('the mode is exact under umask %o', (umask) => {
  const before = process.umask(umask)
  try {
    writeFileAtomic(file, 'x', { mode: 0o666 })
    expect(mode(file)).toBe(0o666)
    writeFileAtomic(file, 'x')
    expect(mode(file)).toBe(0o644)
    writeFileAtomic(file, 'x', { mode: 0o4755 })
    expect(mode(file)).toBe(0o4755)
  } finally {
    process.umask(before)
  }
})

test('a reader of an open file keeps the old content', () => {
  writeFileAtomic(file, 'old')
  const reader = openSync(file, 'r')
  try {
    writeFileAtomic(file, 'new')
    expect(readFileSync(reader, 'utf8')).toBe('old')
  } finally {
    closeSync(reader)
  }
})

test('a symbolic link is replaced, and its target unchanged', () => {
  const target = join(folder, 'target')
  writeFileSync(target, 'mine')
  symlinkSync(target, file)
  writeFileAtomic(file, 'new')
  expect(lstatSync(file).isSymbolicLink()).toBe(false)
  expect(readFileSync(target, 'utf8')).toBe('mine')
})

test('a name of 255 bytes can be written', () => {
  const long = join(folder, `${'ü'.repeat(127)}x`)
  writeFileAtomic(long, 'x')
  expect(readFileSync(long, 'utf8')).toBe('x')
})

test('a missing folder is an error with the path and the errno name', () => {
  const path = join(folder, 'no/such')
  expect(() => writeFileAtomic(path, 'x')).toThrow(
    expect.objectContaining({ name: 'WriteError', code: 'ENOENT', path, message: expect.stringContaining(path) }),
  )
})

test('a failed rename removes the temporary file', () => {
  mkdirSync(join(file, 'child'), { recursive: true })
  expect(() => writeFileAtomic(file, 'x')).toThrow(expect.objectContaining({ code: 'EISDIR' }))
  expect(readdirSync(folder)).toEqual(['10-mesh.conflist'])
})

test('a read-only file is replaced, and gets the given mode', () => {
  writeFileSync(file, 'old')
  chmodSync(file, 0o400)
  writeFileAtomic(file, 'new', { mode: 0o600, fsync: false })
  expect(mode(file)).toBe(0o600)
})
