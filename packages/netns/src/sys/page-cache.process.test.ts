import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropPageCache } from '@cni/netns/sys'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'cni-page-cache-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cachedPages = (path: string) =>
  Number(execFileSync('fincore', ['--noheadings', '--output=PAGES', path], { encoding: 'utf8' }))
const isTmpfs = execFileSync('stat', ['--file-system', '--format=%T', folder], { encoding: 'utf8' }).trim() === 'tmpfs'

it.skipIf(isTmpfs)('bytes that are on the disk leave the page cache', () => {
  const path = join(folder, 'file')
  const fd = openSync(path, 'w')
  try {
    writeSync(fd, Buffer.alloc(4 << 20, 1))
    fsyncSync(fd)
    expect(cachedPages(path)).toBe(1024)
    dropPageCache(fd)
    expect(cachedPages(path)).toBe(0)
  } finally {
    closeSync(fd)
  }
})

it('an invalid descriptor is ignored', () => {
  expect(() => dropPageCache(1 << 20)).not.toThrow()
})
