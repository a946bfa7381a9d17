import {
  closeSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cniErrorKey } from '@cni/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LOCK_EX, LOCK_NB } from './constants.ts'
import { loadSys } from './load-sys.ts'
import { lock } from './lock.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-lock-'))
  file = join(folder, 'file')
  writeFileSync(file, '')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** True if another open file could lock it now. */
function isFree(path: string): boolean {
  const fd = openSync(path, 'r')
  try {
    loadSys().flock(fd, LOCK_EX | LOCK_NB)
    return true
  } catch {
    return false
  } finally {
    closeSync(fd)
  }
}

test('a lock excludes other processes until it is released; a second release does nothing', async () => {
  const held = await lock(file)
  expect(isFree(file)).toBe(false)
  held?.release()
  held?.release()
  expect(isFree(file)).toBe(true)
})

test('the end of its block releases a lock', async () => {
  {
    using held = await lock(file)
    expect([held === undefined, isFree(file)]).toEqual([false, false])
  }
  expect(isFree(file)).toBe(true)
})

test('a missing file is neither locked nor created', async () => {
  unlinkSync(file)
  expect(await lock(file)).toBeUndefined()
  expect(await lock(file)).toBeUndefined()
})

test('a waiting process finds the file missing if the holder has removed it', async () => {
  const held = await lock(file)
  const waiting = lock(file)
  unlinkSync(file)
  held?.release()
  expect(await waiting).toBeUndefined()
})

test('a waiting process locks the new file if the holder has replaced it', async () => {
  const held = await lock(file)
  const waiting = lock(file)
  writeFileSync(`${file}2`, '')
  renameSync(`${file}2`, file)
  using second = await waiting
  expect([second === undefined, isFree(file)]).toEqual([false, false])
  held?.release()
  expect(isFree(file)).toBe(false)
})

test('an error names the file if another process keeps the lock', async () => {
  using _held = await lock(file)
  await expect(lock(file, { timeoutMs: 20 })).rejects.toThrow(
    expect.objectContaining({
      code: 'LOCKED',
      [cniErrorKey]: { code: 11 },
      path: file,
      message: `${JSON.stringify(file)} is locked by another process for more than 20 ms`,
    }),
  )
})

test('`create` creates a missing file, also if the holder has removed it', async () => {
  const path = join(folder, 'made')
  const held = await lock(path, { create: true })
  expect([statSync(path).mode & 0o777, isFree(path)]).toEqual([0o600, false])
  const waiting = lock(path, { create: true })
  unlinkSync(path)
  held.release()
  using _second = await waiting
  expect(isFree(path)).toBe(false)
})

test('a missing folder throws', async () => {
  await expect(lock(join(folder, 'missing/file'), { create: true })).rejects.toThrow('ENOENT')
})

test('a symbolic link is not followed', async () => {
  symlinkSync(file, `${file}2`)
  await expect(lock(`${file}2`)).rejects.toThrow('ELOOP')
})
