import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findExecutable } from './find-executable.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-host-'))
  mkdirSync(join(folder, 'first'))
  mkdirSync(join(folder, 'second/folder'), { recursive: true })
  writeFileSync(join(folder, 'first/data'), '')
  for (const name of ['data', 'tool']) {
    writeFileSync(join(folder, 'second', name), '#!/bin/sh\n')
    chmodSync(join(folder, 'second', name), 0o755)
  }
  symlinkSync('tool', join(folder, 'second/link'))
  symlinkSync('loop', join(folder, 'second/loop'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('finds the first executable file of the path, and skips files that are not executable', () => {
  const path = `${folder}/first:${folder}/second/`
  expect(findExecutable('data', path)).toBe(`${folder}/second/data`)
  expect(findExecutable('link', path)).toBe(`${folder}/second/link`)
})

test('folders, loops, missing and invalid names are not found', () => {
  for (const name of ['folder', 'loop', 'missing', '', 'a\0b']) {
    expect(findExecutable(name, `${folder}/second`)).toBeUndefined()
  }
})

test('a name with a slash is not searched, only checked', () => {
  expect(findExecutable(`${folder}/second/tool`, '')).toBe(`${folder}/second/tool`)
  expect(findExecutable(`${folder}/first/data`, '')).toBeUndefined()
})

test('an empty path means the system folders', () => {
  expect(findExecutable('sh', '')).toMatch(/^\/(usr\/)?bin\/sh$/)
})

test('the working directory is never searched', () => {
  const before = process.cwd()
  process.chdir(join(folder, 'second'))
  try {
    expect(findExecutable('tool', '.::second')).toBeUndefined()
  } finally {
    process.chdir(before)
  }
})
