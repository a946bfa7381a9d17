import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { cniErrorKey, ErrorCode, errnoOf } from '@cni/types'
import { NetnsError } from '../handle/netns-error.ts'
import { LOCK_EX, LOCK_NB } from './constants.ts'
import { loadSys } from './load-sys.ts'
import { isSysError, type Sys } from './sys.ts'

type FileLock = Disposable & { release(): void }

/** Milliseconds between two attempts to lock the file. */
const PAUSE_MS = 5

/**
 * Locks a file against other processes with an exclusive `flock`. If another process replaces the file meanwhile,
 * `lock` locks the new file.
 *
 * @returns `undefined` if the file is missing and `create` is not set.
 * @throws NetnsError `LOCKED` (CNI error code 11) if another process keeps the lock, `NO_FFI`, or the error of the file
 *   system.
 * @example
 * using held = await lock('/opt/cni/bin/.tag.uninstalled')
 */
export async function lock(
  path: string,
  options: { readonly timeoutMs?: number; readonly create: true; readonly sys?: Pick<Sys, 'flock'> },
): Promise<Disposable & { release(): void }>
export async function lock(
  path: string,
  options?: {
    /** Milliseconds to wait for another process that keeps the lock. Default: 2000. */
    readonly timeoutMs?: number
    /** True to create a missing file, empty and with mode 0600. Default: false. */
    readonly create?: boolean
    /** System calls that `lock` uses; tests pass a fake. Default: the system calls of this JavaScript runtime. */
    readonly sys?: Pick<Sys, 'flock'>
  },
): Promise<(Disposable & { release(): void }) | undefined>
export async function lock(
  path: string,
  options: { timeoutMs?: number; create?: boolean; sys?: Pick<Sys, 'flock'> } = {},
): Promise<FileLock | undefined> {
  const { timeoutMs = 2000, create = false } = options
  const until = performance.now() + timeoutMs
  for (;;) {
    const fd = open(path, create)
    if (fd === undefined) return undefined
    if (tryToLock(options.sys, fd) && isAt(path, fd)) return held(fd)
    closeSync(fd)
    if (performance.now() > until) {
      const message = `${JSON.stringify(path)} is locked by another process for more than ${timeoutMs} ms`
      const code = ErrorCode.tryAgainLater
      throw Object.assign(new NetnsError('LOCKED', message, { path }), { [cniErrorKey]: { code } })
    }
    await sleep(PAUSE_MS)
  }
}

// internal

function open(path: string, create: boolean): number | undefined {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  try {
    return openSync(path, create ? flags | constants.O_CREAT : flags, 0o600)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && !create) return undefined
    throw error
  }
}

function tryToLock(sys: Pick<Sys, 'flock'> | undefined, fd: number): boolean {
  try {
    const { flock } = sys ?? loadSys()
    flock(fd, LOCK_EX | LOCK_NB)
    return true
  } catch (error) {
    if (isSysError(error) && (error.code === 'EAGAIN' || error.code === 'EINTR')) return false
    closeSync(fd)
    throw error
  }
}

function isAt(path: string, fd: number): boolean {
  const there = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  const mine = fstatSync(fd, { bigint: true })
  return there !== undefined && there.ino === mine.ino && there.dev === mine.dev
}

function held(fd: number): FileLock {
  let isHeld = true
  const release = (): void => {
    if (isHeld) closeSync(fd)
    isHeld = false
  }
  return { release, [Symbol.dispose]: release }
}
