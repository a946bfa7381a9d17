import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRegular } from './read-regular.ts'
import { convertConf, replaceFile } from './replace-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-installer-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const others: [string, (path: string) => void][] = [
  ['written', (path) => writeFileSync(path, 'theirs')],
  [
    'replaced',
    (path) => {
      writeFileSync(`${path}.new`, 'theirs')
      renameSync(`${path}.new`, path)
    },
  ],
  ['removed', (path) => rmSync(path)],
]

test.each(others)('a file that was %s since it was read is not replaced', (_, change) => {
  const path = join(folder, 'a.conflist')
  writeFileSync(path, 'old')
  const before = readRegular(path)
  change(path)
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  expect(() => replaceFile({ path, text: 'ours', mode: 0o600, before, type: 'mesh' })).toThrow(
    expect.objectContaining({ code: 'CHANGED' }),
  )
  expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])).toEqual(files)
})

test('a file that has appeared meanwhile is not replaced', () => {
  const path = join(folder, 'a.conflist')
  writeFileSync(path, 'theirs')
  expect(() => replaceFile({ path, text: 'ours', mode: 0o600, before: undefined, type: 'mesh' })).toThrow(
    'was changed by',
  )
  expect(readFileSync(path, 'utf8')).toBe('theirs')
})

test('a conversion does not overwrite a list that has appeared meanwhile', () => {
  const path = join(folder, 'a.conf')
  writeFileSync(path, 'old')
  const before = readRegular(path)
  writeFileSync(`${path}list`, 'theirs')
  expect(() => convertConf({ path, text: 'ours', mode: 0o600, before, type: 'mesh' }, undefined)).toThrow(
    'was changed by',
  )
  expect(readdirSync(folder)).toEqual(['a.conf', 'a.conflist'])
  expect(readFileSync(`${path}list`, 'utf8')).toBe('theirs')
})
