import type { NetnsTarget } from '@cni/netns/handle'
import type { Probed } from './port.ts'

/**
 * What a probe found out, once per namespace. The kernel gives the number of a namespace to another one as soon as it
 * is free, so what was found counts only while the handle that it was found through is open: that keeps the number.
 */
export class ProbeCache {
  readonly #found = new Map<string, { readonly handle: NetnsTarget; readonly probed: Probed }>()
  readonly #limit: number

  constructor(limit = 256) {
    this.#limit = limit
  }

  /** The node's own namespace is never kept: its programs come and go. */
  get(target: NetnsTarget): Probed | undefined {
    const entry = this.#found.get(keyOf(target))
    return entry !== undefined && isOpen(entry.handle) ? entry.probed : undefined
  }

  /** `undefined` forgets. */
  set(target: NetnsTarget, probed: Probed | undefined): void {
    const key = keyOf(target)
    this.#found.delete(key)
    if (probed === undefined || target === 'host') return
    this.#found.set(key, { handle: target, probed })
    const [oldest] = this.#found.keys()
    if (this.#found.size > this.#limit && oldest !== undefined) this.#found.delete(oldest)
  }
}

// internal

const keyOf = (target: NetnsTarget) => (target === 'host' ? target : `${target.dev}:${target.ino}`)

/** A closed handle throws when asked for its descriptor. */
function isOpen(target: NetnsTarget): boolean {
  if (target === 'host') return false
  try {
    return target.fd >= 0
  } catch {
    return false
  }
}
