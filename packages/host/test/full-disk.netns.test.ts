import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-host-full-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder])
})
afterAll(() => {
  execFileSync('umount', [folder])
  rmdirSync(folder)
})

test('a full disk keeps the old content, removes the temporary file, and throws ENOSPC', () => {
  const file = join(folder, 'state.json')
  writeFileAtomic(file, 'old')
  const free = () => statfsSync(folder).bfree
  const before = free()
  expect(() => writeFileAtomic(file, new Uint8Array(1024 * 1024))).toThrow(
    expect.objectContaining({ name: 'WriteError', code: 'ENOSPC', path: file }),
  )
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['state.json'])
  expect(free()).toBe(before)
})

test('without a free block even an empty file is written completely or refused', () => {
  const file = join(folder, 'state.json')
  writeFileAtomic(file, 'old')
  expect(() => writeFileSync(join(folder, 'filler'), new Uint8Array(1024 * 1024))).toThrow('ENOSPC')
  expect(() => writeFileAtomic(file, 'new')).toThrow(expect.objectContaining({ code: 'ENOSPC' }))
  expect(readFileSync(file, 'utf8')).toBe('old')
})
