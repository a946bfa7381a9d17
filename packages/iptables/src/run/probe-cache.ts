import type { NetnsTarget } from '@cni/netns/handle'
import type { Probed } from './port.ts'

/** Cache of namespaces with legacy rules. An open handle keeps a namespace's inode number unique. */
export class ProbeCache {
  readonly #found = new Map<string, { readonly handle: NetnsTarget; readonly probed: Probed }>()
  readonly #limit: number

  constructor(limit = 256) {
    this.#limit = limit
  }

  /**
   * Cached result for a namespace. The node's namespace has no cached result, because the node's programs may change.
   */
  get(target: NetnsTarget): Probed | undefined {
    const entry = this.#found.get(keyOf(target))
    return entry !== undefined && isOpen(entry.handle) ? entry.probed : undefined
  }

  /** Caches a result for a namespace. The argument `undefined` removes the cached result. */
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

/** True if a namespace handle is still open. Reading the descriptor of a closed handle throws an error. */
function isOpen(target: NetnsTarget): boolean {
  if (target === 'host') return false
  try {
    return target.fd >= 0
  } catch {
    return false
  }
}
