import type { KubeError } from '../kube-error.ts'
import { type Identity, identityOf, isOlder } from './identity.ts'
import type { Observer } from './list-watch-options.ts'
import { waiters } from './waiters.ts'

/** Store of API objects, which a watch keeps up to date. Pass the store as `observer` to `listWatch`. */
export interface WatchStore<T extends object> extends Required<Observer> {
  /**
   * Returns the stored result of `keep` for an object, or `undefined`. The `key` is `namespace/name`, or the name of an
   * object without a namespace.
   */
  get(key: string): T | undefined
  /** Lists the keys of the stored objects by last change, the oldest change first. */
  keys(): Iterable<string>
  values(): Iterable<T>
  size(): number
  /** Removes an object from the store, but not from the API server. A later change adds the object again. */
  forget(key: string): void
  /** True while the watch is receiving a list, so that the store may be incomplete. */
  isListing(): boolean
  /** True after the store has received its first complete list. */
  isListed(): boolean
  /** Returns the milliseconds since the watch's last message; `undefined` before the first complete list. */
  silentMs(): number | undefined
  /** Returns the error of the last list or watch request; `undefined` while the watch works. */
  failure(): KubeError | undefined
  /**
   * Applies the caller's write at once, before the watch reports the write. `version` is the `resourceVersion` in the
   * API server's answer to the write. For ten seconds, `apply` also changes older versions that the watch reports.
   */
  wrote(key: string, apply: (value: T) => T, version: string | undefined): void
  /** Calls `find` after each message of the watch, until a result is defined. */
  until<R>(find: () => R | undefined, signal: AbortSignal): Promise<R>
}

/**
 * Creates an empty store for a watch. The store does no I/O. For each object, the store holds only the result of
 * `keep`.
 */
export function watchStore<T extends object>(options: {
  /**
   * Reduces an object to the members that the store needs.
   * - `null` removes an unwanted object from the store.
   * - `undefined` ignores a malformed object.
   */
  readonly keep: (object: unknown) => T | null | undefined
  /**
   * Called after each change of an object in the store. `before` is missing for a new object, and `after` for a deleted
   * object. A list reports known objects again, so `before` and `after` may be equal. An object with a new UID is
   * reported as deleted, then as new.
   */
  readonly changed?: (key: string, before: T | undefined, after: T | undefined) => void
  readonly malformed?: () => void
  /** Called after each complete list, when all changes from that list are in the store. */
  readonly listed?: () => void
  readonly failed?: Observer['failed']
  /** Current time in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}): WatchStore<T> {
  const { keep, changed, malformed, listed, failed, now = () => performance.now() } = options
  const members = new Map<string, Member<T>>()
  const { check, until } = waiters()
  let list = 0
  let isListing = false
  let aliveAt: number | undefined
  let failure: KubeError | undefined

  const put = (key: string, after: Member<T> | undefined): void => {
    const before = members.get(key)
    if (before === undefined && after === undefined) return
    // Moves a changed object to the end of the map: the store lists objects by their last change.
    members.delete(key)
    if (after !== undefined) members.set(key, after)
    changed?.(key, before?.value, after?.value)
  }
  const works = (): void => {
    aliveAt = now()
    failure = undefined
    check()
  }
  const isPending = ({ version, at }: Written<T>, seen: string): boolean =>
    now() - at < LAG_MS && (version === undefined || isOlder(seen, version))

  return {
    listing() {
      list += 1
      isListing = true
    },
    present(object) {
      const identity = identityOf(object)
      const kept = identity && keep(object)
      if (identity === undefined || kept === undefined) return malformed?.()
      const { key, uid, version } = identity
      if (members.get(key)?.uid !== uid) put(key, undefined)
      if (kept === null) return put(key, undefined)
      const last = members.get(key)?.written
      const written = last !== undefined && isPending(last, version) ? last : undefined
      put(key, { ...identity, list, written, value: written === undefined ? kept : written.apply(kept) })
    },
    listed() {
      for (const [key, member] of members) if (member.list !== list) put(key, undefined)
      isListing = false
      works()
      listed?.()
    },
    gone(object) {
      const identity = identityOf(object)
      if (identity !== undefined && members.get(identity.key)?.uid === identity.uid) put(identity.key, undefined)
    },
    alive() {
      // Clears the error only after the first complete list, because the store was incomplete before.
      if (aliveAt !== undefined) works()
    },
    failed(error, pauseMs) {
      failure = error
      failed?.(error, pauseMs)
    },
    get: (key) => members.get(key)?.value,
    keys: () => members.keys(),
    values: () => [...members.values()].map(({ value }) => value),
    size: () => members.size,
    forget: (key) => put(key, undefined),
    isListing: () => isListing,
    isListed: () => aliveAt !== undefined,
    silentMs: () => (aliveAt === undefined ? undefined : now() - aliveAt),
    failure: () => failure,
    wrote(key, apply, version) {
      const member = members.get(key)
      // Ignores a write that the watch has already reported before the answer to the write.
      if (member === undefined || (version !== undefined && !isOlder(member.version, version))) return
      members.set(key, { ...member, value: apply(member.value), written: { apply, version, at: now() } })
    },
    until,
  }
}

// internal

/** Milliseconds after a caller's own write during which the watch may still report older versions of the object. */
const LAG_MS = 10_000

interface Member<T> extends Identity {
  /** Number of the latest list that contained the object. Objects only in older lists are removed. */
  readonly list: number
  readonly value: T
  readonly written: Written<T> | undefined
}

interface Written<T> {
  readonly apply: (value: T) => T
  readonly version: string | undefined
  readonly at: number
}
