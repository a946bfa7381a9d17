import type { NetnsTarget } from '@cni/netns/handle'
import type { Probed } from './port.ts'

/**
 * Cache of the namespaces whose legacy back end holds rules, by inode number. An open handle of a namespace reserves
 * the number. Without a handle, the kernel may give the number to a new namespace. So a cached result is valid only
 * while the handle with which it was stored is open.
 */
export class ProbeCache {
  readonly #found = new Map<string, { readonly handle: NetnsTarget; readonly probed: Probed }>()
  readonly #limit: number

  constructor(limit = 256) {
    this.#limit = limit
  }

  /**
   * Returns the cached result for a namespace. Results for the node's own namespace are never cached, because they
   * change if an administrator installs other iptables programs.
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
