import { closeSync } from 'node:fs'
import { NetnsError } from './netns-error.ts'

/**
 * Open handle of a network namespace, which exists at least as long as the handle. `open`, `current`, `create` and
 * `bind` create handles. Close the handle, or declare it with `using`.
 */
export class Netns implements Disposable {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
  /**
   * Reason why removals through this handle do nothing. Default: `undefined`, which allows removals. In DEL,
   * `@cni/skel` sets the reason while another attachment uses the namespace.
   *
   * `@cni/iptables`, `@cni/nftables`, `@cni/ipset` and `openRtnl` remove nothing while the reason is set.
   */
  kept: string | undefined = undefined
  #fd: number | undefined

  /** Creates a handle whose `close` closes the descriptor `fd`. Call `open` instead of this constructor. */
  constructor(path: string, fd: number, identity: { dev: bigint; ino: bigint }) {
    this.path = path
    this.dev = identity.dev
    this.ino = identity.ino
    this.#fd = fd
  }

  /** Open descriptor of the namespace. Throws `CLOSED` after `close`. */
  get fd(): number {
    if (this.#fd !== undefined) return this.#fd
    throw new NetnsError('CLOSED', `The namespace ${JSON.stringify(this.path)} is closed; open it again`, {
      path: this.path,
    })
  }

  /** True if both handles refer to the same namespace. Works for closed handles as well. */
  isSame(other: Netns): boolean {
    return this.ino === other.ino && this.dev === other.dev
  }

  /** Closes the descriptor of the namespace. A second call does nothing. */
  close(): void {
    const fd = this.#fd
    this.#fd = undefined
    if (fd !== undefined) closeSync(fd)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/**
 * Namespace to work in: an open namespace or `'host'`. `'host'` is the namespace in which this process was before it
 * entered another one.
 */
export type NetnsTarget = Netns | 'host'

/** Returns the reason to keep all objects in a namespace: {@link Netns.kept}. Always `undefined` for `'host'`. */
export function keptIn(netns: NetnsTarget): string | undefined {
  return netns === 'host' ? undefined : netns.kept
}
