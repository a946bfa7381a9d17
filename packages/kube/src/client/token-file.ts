import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readRegularFile, writeFileAtomic } from '@cni/host'
import { errnoOf } from '@cni/types'
import type { KubeClient } from './client.ts'
import { requestToken } from './request-token.ts'

/**
 * Manages a file with a service account's token. Only the file's owner can read the file.
 * - `keep` requests a token, valid for an hour, and renews the token in time. The token is not bound to a pod and
 *   outlives this process.
 * - `first` settles after the first attempt, and `done` after the signal has aborted.
 * - `remove` deletes the token file, and returns its path if the file existed.
 */
export function tokenFile(path: string): {
  keep(options: {
    readonly connect: () => KubeClient
    readonly namespace: string
    /** Name of the service account whose token the file contains. */
    readonly account: string
    readonly signal: AbortSignal
    /** Called for each new token, with the end of its validity in milliseconds since 1970. */
    readonly renewed: (expires: number) => void
    /** Called after each failed attempt to renew the token or write its file. */
    readonly failed: (error: unknown) => void
    /** Minimum pause in milliseconds between two token requests. Default: a second. */
    readonly pauseMs?: number | undefined
  }): {
    readonly first: Promise<void>
    readonly done: Promise<void>
    /** Returns the current token's end of validity in milliseconds since 1970; `undefined` before the first token. */
    expires(): number | undefined
  }
  remove(): string | undefined
} {
  return {
    keep: (options) => keepRenewed(path, options),
    remove() {
      removeUnfinished(path)
      try {
        unlinkSync(path)
        return path
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return undefined
        throw error
      }
    },
  }
}

// internal

type TokenFile = ReturnType<typeof tokenFile>

/** Lifetime in seconds that `keep` requests for a token. */
const LIFE_SECONDS = 3600
/** Milliseconds between checks of the token file, which another program may remove or change. */
const CHECK_MS = 10_000
const MAX_PAUSE_MS = 30_000

function keepRenewed(path: string, options: Parameters<TokenFile['keep']>[0]): ReturnType<TokenFile['keep']> {
  const { connect, namespace, account, signal, renewed, failed, pauseMs = 1000 } = options
  let current: Awaited<ReturnType<typeof requestToken>> | undefined
  let pause = pauseMs
  removeUnfinished(path)
  /** Requests a new token and writes its file. Returns the time of the next attempt. */
  const attempt = async (): Promise<number> => {
    const asked = performance.now()
    try {
      current = await requestToken(connect(), { namespace, account, seconds: LIFE_SECONDS, signal })
      writeIfChanged(path, current.token)
      pause = pauseMs
      renewed(current.expires)
      return asked + Math.max(current.lifeMs * (0.5 - Math.random() / 10), pauseMs)
    } catch (error) {
      const due = performance.now() + pause * (1 + Math.random())
      if (signal.aborted) return due
      failed(error)
      pause = Math.min(pause * 2, MAX_PAUSE_MS)
      return due
    }
  }
  const first = attempt()
  const run = async (): Promise<void> => {
    let due = await first
    while (!signal.aborted) {
      const ms = Math.min(Math.max(due - performance.now(), 0), CHECK_MS)
      // `delay` rejects if the signal aborts. Ignores this error, because the next line checks the signal.
      await delay(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      if (performance.now() >= due) due = await attempt()
      else if (current !== undefined) restoreQuietly(path, current.token)
    }
  }
  return { first: first.then(() => {}), done: run(), expires: () => current?.expires }
}

function writeIfChanged(path: string, token: string): void {
  try {
    if (readRegularFile(path, 1024 * 1024) === token) return
  } catch {
    // The token file is missing, or its path is not a regular file. The code below writes the file.
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileAtomic(path, token, { mode: 0o600 })
}

/** Restores the token file. Ignores an error, because the next renewal of the token reports it. */
function restoreQuietly(path: string, token: string): void {
  try {
    writeIfChanged(path, token)
  } catch {
    // Ignores the error: the next renewal of the token reports the same write error.
  }
}

/** Removes temporary token files of killed processes, because they may contain a token. */
function removeUnfinished(path: string): void {
  const start = `.${basename(path)}.`
  try {
    for (const name of readdirSync(dirname(path))) {
      const isOne = name.startsWith(start) && /^[\da-z]+\.tmp$/.test(name.slice(start.length))
      if (isOne) unlinkSync(join(dirname(path), name))
    }
  } catch {
    // Ignores the error: the folder is missing, or another process has removed the same file.
  }
}
