import type { NetnsTarget } from '@cni/netns/handle'
import type { Probed } from './port.ts'

/**
 * Caches for each namespace that its legacy back end holds rules. The kernel may reuse the number of a removed
 * namespace. So an entry is valid only while the handle of its first caller is open: the handle keeps the number in
 * use.
 */
export class ProbeCache {
  readonly #found = new Map<string, { readonly handle: NetnsTarget; readonly probed: Probed }>()
  readonly #limit: number

  constructor(limit = 256) {
    this.#limit = limit
  }

  /** Results for the node's own namespace are not cached: the node's programs may change. */
  get(target: NetnsTarget): Probed | undefined {
    const entry = this.#found.get(keyOf(target))
    return entry !== undefined && isOpen(entry.handle) ? entry.probed : undefined
  }

  /** Stores a result for a namespace. `undefined` removes the stored result. */
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

/** The descriptor of a closed handle throws when it is read. */
function isOpen(target: NetnsTarget): boolean {
  if (target === 'host') return false
  try {
    return target.fd >= 0
  } catch {
    return false
  }
}
