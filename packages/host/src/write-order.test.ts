import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeFileAtomic } from './write-file-atomic.ts'

/** Operations on each file in order, with its mode at that time. */
const steps = vi.hoisted((): string[] => [])

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const noted = <F extends (...args: never[]) => unknown>(step: string, real: F): F =>
    new Proxy(real, {
      apply(target, self, args: unknown[]) {
        steps.push([step, ...describe(args[0])].join(' '))
        return Reflect.apply(target, self, args)
      },
    })
  const describe = (fd: unknown): string[] => {
    if (typeof fd !== 'number') return []
    if (fs.fstatSync(fd).isDirectory()) return ['the folder']
    const name = fs.readlinkSync(`/proc/self/fd/${fd}`)
    return [name.endsWith('.tmp') ? 'temporary' : name, (fs.fstatSync(fd).mode & 0o777).toString(8)]
  }
  return {
    ...fs,
    writeSync: noted('write', fs.writeSync),
    fchmodSync: noted('chmod', fs.fchmodSync),
    fsyncSync: noted('sync', fs.fsyncSync),
    renameSync: noted('rename', fs.renameSync),
  }
})

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-host-'))
  file = join(folder, 'kubeconfig')
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  steps.length = 0
})

test('by default, the content is flushed, then the file is renamed, then the folder is flushed', () => {
  writeFileAtomic(file, 'secret')
  expect(steps).toEqual([
    'write temporary 600',
    'chmod temporary 600',
    'sync temporary 644',
    'rename',
    'sync the folder',
  ])
})

test('with `fsync: false` nothing is flushed', () => {
  writeFileAtomic(file, 'secret', { fsync: false })
  expect(steps).toEqual(['write temporary 600', 'chmod temporary 600', 'rename'])
})

test('other users cannot read an incomplete file, with any umask and final mode', () => {
  const before = process.umask(0)
  try {
    writeFileAtomic(file, 'secret', { mode: 0o666, fsync: false })
  } finally {
    process.umask(before)
  }
  expect(steps.slice(0, 2)).toEqual(['write temporary 600', 'chmod temporary 600'])
})
