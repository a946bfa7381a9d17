import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@cni/host'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { listOf } from '../../test/uninstalled.ts'
import type { NeedFolders } from './marker.ts'
import { findNeeds, type Need } from './needs.ts'

const { CNI_FUZZ_RUNS } = process.env
const params = CNI_FUZZ_RUNS ? { numRuns: Number(CNI_FUZZ_RUNS) } : { numRuns: 300, seed: 20_261_127 }

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** Texts of a cached result, as a runtime and as an attacker writes them. */
const resultText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc
    .record(
      {
        kind: fc.oneof(fc.constant('cniCacheV1'), fc.jsonValue()),
        containerId: fc.oneof(fc.string(), fc.jsonValue()),
        ifName: fc.oneof(fc.string(), fc.jsonValue()),
        networkName: fc.oneof(fc.string(), fc.jsonValue()),
        config: fc.oneof(
          fc.json().map(base64),
          fc.constantFrom(base64(JSON.stringify(listOf('tag'))), base64(deep(20_000)), '%%%'),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    )
    .map((one) => JSON.stringify(one)),
  fc.constantFrom(deep(20_000), '', '[', '{"kind":"cniCacheV1","config":{}}'),
)

const fileName = fc.stringMatching(/^[a-zA-Z0-9.-]{1,20}$/).filter((name) => name !== '.' && name !== '..')

interface World {
  readonly root: string
  readonly folders: NeedFolders
}

function world(): World {
  const root = mkdtempSync(join(tmpdir(), 'cni-hostile-'))
  const folder = (name: string): string => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  return {
    root,
    folders: { records: [folder('records')], results: [folder('results')], configurations: [folder('net')] },
  }
}

test('the search ends without an error for any folder contents, and unreadable files count as needs', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fileName, resultText, { maxKeys: 6 }),
      fc.constantFrom('results', 'net'),
      (files, where) => {
        const { root, folders } = world()
        try {
          for (const [name, text] of Object.entries(files))
            writeFileSync(join(root, where, name), text, { mode: 0o600 })
          for (const { kind, path, reason } of findNeeds('tag', folders)) {
            expect(['result', 'configuration', 'unknown']).toContain(kind)
            expect(path.startsWith(join(root, where))).toBe(true)
            expect(reason.length).toBeLessThan(700)
          }
        } finally {
          rmSync(root, { recursive: true })
        }
      },
    ),
    params,
  )
})

test('a result that names the plugin is found among any others', () => {
  fc.assert(
    fc.property(fc.dictionary(fileName, resultText, { maxKeys: 6 }), (files) => {
      const { root, folders } = world()
      try {
        for (const [name, text] of Object.entries(files))
          writeFileSync(join(root, 'results', name), text, { mode: 0o600 })
        const mine = join(root, 'results', 'pods-mine-eth0')
        writeFileSync(mine, JSON.stringify({ kind: 'cniCacheV1', config: base64(JSON.stringify(listOf('tag'))) }), {
          mode: 0o600,
        })
        expect([...findNeeds('tag', folders)].map(({ path }) => path)).toContain(mine)
      } finally {
        rmSync(root, { recursive: true })
      }
    }),
    params,
  )
})

/** Needs found in a cache with one hostile entry. */
function needsOf(put: (folder: string) => void): Need[] {
  const root = tempFolder()
  mkdirSync(join(root, 'results'))
  put(join(root, 'results'))
  return [...findNeeds('tag', { records: [], results: [join(root, 'results')], configurations: [] })]
}

const result = JSON.stringify({ kind: 'cniCacheV1', config: base64(JSON.stringify(listOf('other'))) })

test.each<[string, (folder: string) => void, string]>([
  ['a link', (folder) => symlinkSync('/dev/zero', join(folder, 'a')), 'a symbolic link, which is not followed'],
  ['a folder', (folder) => mkdirSync(join(folder, 'a')), 'not a regular file'],
  [
    'a file of another user',
    (folder) => {
      writeFileSync(join(folder, 'a'), result, { mode: 0o600 })
      chownSync(join(folder, 'a'), 4711, 4711)
    },
    'belongs to another user (uid 4711)',
  ],
  ['a file that other users can write', (folder) => writeOpen(join(folder, 'a')), 'may be written by others'],
  [
    'a huge file',
    (folder) => writeFileSync(join(folder, 'a'), Buffer.alloc(5 * 1024 * 1024), { mode: 0o600 }),
    'more than 4194304',
  ],
  [
    'more objects than a runtime writes',
    (folder) => writeFileSync(join(folder, 'a'), wide(), { mode: 0o600 }),
    'more than 200000 objects',
  ],
])('%s in the cache is not read, and counts as a need', (_, put, reason) => {
  expect(needsOf(put)).toMatchObject([{ kind: 'unknown', reason: expect.stringContaining(reason) }])
})

test('a pipe in the cache does not block the search', async () => {
  const root = tempFolder()
  await run(['mkfifo', join(root, 'a')])
  expect([...findNeeds('tag', { records: [], results: [root], configurations: [] })]).toMatchObject([
    { kind: 'unknown', reason: expect.stringContaining('not a regular file') },
  ])
})

test('a folder with too many files is read up to the limit', () => {
  const needs = needsOf((folder) => {
    for (let at = 0; at < 10_001; at += 1) writeFileSync(join(folder, `pods-${at}-eth0`), '{}', { mode: 0o600 })
  })
  expect(needs).toMatchObject([{ kind: 'unknown', reason: expect.stringContaining('more than 10000 files') }])
})

test('names from other programs are shortened and escaped', () => {
  const [need] = needsOf((folder) =>
    writeFileSync(
      join(folder, 'a'),
      JSON.stringify({
        kind: 'cniCacheV1',
        containerId: `\u001b[2J${'x'.repeat(100_000)}`,
        config: base64(JSON.stringify(listOf('tag'))),
      }),
      { mode: 0o600 },
    ),
  )
  expect(need?.reason).not.toContain('\u001b')
  expect(need?.reason.length).toBeLessThan(300)
})

function writeOpen(path: string): void {
  const before = process.umask(0)
  writeFileSync(path, result, { mode: 0o666 })
  process.umask(before)
}

function wide(): string {
  const config = base64(`[${'{},'.repeat(200_000)}{}]`)
  return JSON.stringify({ kind: 'cniCacheV1', config })
}
