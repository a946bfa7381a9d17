import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { type Entry, file, folder, symlink, tar } from './tar.ts'

const long = `usr/share/${'name/'.repeat(20)}file`
const entries: Entry[] = [
  file('b/run', 'program', 0o755),
  { path: 'a/same', mode: 0o755, content: { kind: 'hardlink', to: 'b/run' } },
  symlink('b/link', '../b/run'),
  folder('tmp', 0o1777),
  file(long, 'x'.repeat(1000)),
  file('empty', ''),
]
const listed = (bytes: Buffer) =>
  execFileSync('tar', ['-tvf', '-', '--numeric-owner', '--utc', '--full-time'], { input: bytes, encoding: 'utf8' })

it('entries are sorted by path, belong to root and have one time, in any order of input', () => {
  const bytes = tar(entries, 86_400)
  expect(tar(entries.toReversed(), 86_400)).toEqual(bytes)
  const lines = listed(bytes).trim().split('\n')
  expect(lines.every((line) => / 0\/0 +\d+ 1970-01-02 00:00:00 /.test(line))).toBe(true)
  const names = lines.map((line) => / 00:00:00 (.*)$/.exec(line)?.[1] ?? '')
  expect(names).toEqual(
    expect.arrayContaining(['a/', 'b/', 'tmp/', 'empty', long, 'a/same link to b/run', 'b/link -> ../b/run']),
  )
  expect(lines.map((line) => line.slice(0, 10))).toContain('drwxrwxrwt')
})

it('entries are unchanged after writing and reading', () => {
  const bytes = tar(entries, 0)
  const content = (path: string) => execFileSync('tar', ['-xOf', '-', path], { input: bytes, encoding: 'utf8' })
  expect(content('b/run')).toBe('program')
  expect(content(long)).toBe('x'.repeat(1000))
})

it.each<[why: string, entries: Entry[]]>([
  ['a is there twice', [file('a', '1'), file('a', '2')]],
  ['longer than 100 bytes', [symlink('a', 'x'.repeat(101))]],
  ['longer than 155 bytes', [file(`${'x'.repeat(160)}/${'y'.repeat(90)}`, '')]],
])('%s: rejected', (why, wrong) => {
  expect(() => tar(wrong, 0)).toThrow(why)
})
