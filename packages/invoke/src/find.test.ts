import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { scriptFolder } from '../test/script-folder.ts'
import { InvokeError } from './errors.ts'
import { findInPath } from './find.ts'

const bin = scriptFolder()
afterAll(() => bin[Symbol.dispose]())

const real = bin.script('bridge', 'exit 0')
bin.script('plain', '', 0o644)
mkdirSync(join(bin.dir, 'folder'))
symlinkSync(real, join(bin.dir, 'link'))
symlinkSync('/nonexist/x', join(bin.dir, 'broken'))

describe('findInPath', () => {
  test.each([
    ['', [bin.dir], 'NO_NAME', 'no plugin name provided'],
    ['a/b', [bin.dir], 'INVALID_NAME', 'invalid plugin name: a/b'],
    ['../bridge', [bin.dir], 'INVALID_NAME', 'invalid plugin name: ../bridge'],
    ['bridge', [], 'NO_PATHS', 'no paths provided'],
    ['bridge', [''], 'NO_PATHS', 'no paths provided'],
    ['gone', ['/nonexist', bin.dir], 'NOT_FOUND', `failed to find plugin "gone" in path [/nonexist ${bin.dir}]`],
    ['folder', [bin.dir], 'NOT_FOUND', `failed to find plugin "folder" in path [${bin.dir}]`],
    ['broken', [bin.dir], 'NOT_FOUND', `failed to find plugin "broken" in path [${bin.dir}]`],
  ])('%j in %j fails with %s', (plugin, paths, code, message) => {
    const error = caught(() => findInPath(plugin, paths))
    expect(error).toBeInstanceOf(InvokeError)
    expect(error).toMatchObject({ code, message, plugin })
  })

  test.each([
    ['bridge', 'a regular file'],
    ['link', 'a symbolic link to one'],
    ['plain', 'a file that cannot be executed: that shows when it is'],
  ])('finds %s: %s', (plugin) => {
    expect(findInPath(plugin, ['/nonexist', bin.dir])).toBe(join(bin.dir, plugin))
  })

  test('an empty element of the path does not mean the working directory', () => {
    const before = process.cwd()
    process.chdir(bin.dir)
    try {
      expect(() => findInPath('bridge', ['', '/nonexist'])).toThrow('failed to find plugin')
    } finally {
      process.chdir(before)
    }
  })
})

function caught(body: () => unknown): unknown {
  try {
    body()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
