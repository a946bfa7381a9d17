import type { KubeError } from '../kube-error.ts'
import { type Identity, identityOf, isOlder } from './identity.ts'
import type { Observer } from './list-watch.ts'
import { waiters } from './waiters.ts'

/** Objects of the API server, as a watch reports them. Pass the store as `observer` to `listWatch`. */
export interface WatchStore<T extends object> extends Required<Observer> {
  /** `key` is `namespace/name`, or the name of an object without a namespace. */
  get(key: string): T | undefined
  /** Keys in the order of their last change, the oldest first. */
  keys(): Iterable<string>
  values(): Iterable<T>
  size(): number
  /** Removes an object that the API server may still have. A later change adds it again. */
  forget(key: string): void
  /** True while a list is incomplete. */
  isListing(): boolean
  /** True after the first complete list. */
  isListed(): boolean
  /** Milliseconds since the last message of the watch; `undefined` before the first complete list. */
  silentMs(): number | undefined
  /** Error of the watch; `undefined` while it works. */
  failure(): KubeError | undefined
  /**
   * Applies the caller's own write. `version` is the `resourceVersion` in the API server's answer.
   * Until the watch reaches that version, for at most ten seconds, `apply` also changes the objects that the watch
   * reports.
   */
  wrote(key: string, apply: (value: T) => T, version: string | undefined): void
  /** Resolves with the first result of `find` that is not `undefined`. Calls `find` at once and after each message. */
  until<R>(find: () => R | undefined, signal: AbortSignal): Promise<R>
}

/** An empty store. It does no I/O and keeps no object, only what `keep` returns. */
export function watchStore<T extends object>(options: {
  /**
   * Returns the members to keep; the object itself is not kept.
   * - `null`: the object is not wanted, and is removed from the store.
   * - `undefined`: the object is malformed, and is ignored.
   */
  readonly keep: (object: unknown) => T | null | undefined
  /**
   * Called after each change. `before` is missing for a new object, `after` for a deleted one.
   * A list reports known objects again; `before` and `after` may then be equal. An object with a new UID is reported as
   * two changes.
   */
  readonly changed?: (key: string, before: T | undefined, after: T | undefined) => void
  readonly malformed?: () => void
  /** Called after each complete list and its changes. */
  readonly listed?: () => void
  readonly failed?: Observer['failed']
  /** Current time in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}): WatchStore<T> {
  const { keep, changed, malformed, listed, failed, now = () => performance.now() } = options
  const members = new Map<string, Member<T>>()
  const { look, until } = waiters()
  let list = 0
  let isListing = false
  let aliveAt: number | undefined
  let failure: KubeError | undefined

  const put = (key: string, after: Member<T> | undefined): void => {
    const before = members.get(key)
    if (before === undefined && after === undefined) return
    // A changed object becomes the last one.
    members.delete(key)
    if (after !== undefined) members.set(key, after)
    changed?.(key, before?.value, after?.value)
  }
  const works = (): void => {
    aliveAt = now()
    failure = undefined
    look()
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
      // Before the first complete list, a message does not prove that the store is complete.
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
      // The watch may have reported the write before its answer arrived.
      if (member === undefined || (version !== undefined && !isOlder(member.version, version))) return
      members.set(key, { ...member, value: apply(member.value), written: { apply, version, at: now() } })
    },
    until,
  }
}

// internal

/** Milliseconds for which an own write may be newer than the watch. */
const LAG_MS = 10_000

interface Member<T> extends Identity {
  /** Number of the latest list when the object was last reported. */
  readonly list: number
  readonly value: T
  readonly written: Written<T> | undefined
}

interface Written<T> {
  readonly apply: (value: T) => T
  readonly version: string | undefined
  readonly at: number
}
