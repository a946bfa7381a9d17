import { closeSync } from 'node:fs'
import { NetnsError } from './netns-error.ts'

/**
 * An open network namespace: it lives at least as long as the handle, even when its path goes away.
 * Made by `open`, `current`, `create` or `bind`; close it, or declare it with `using`.
 */
export class Netns implements Disposable {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
  /**
   * The reason why removals through this handle leave what they find; `undefined` (the default) when they remove it.
   * `@cni/skel` sets it in DEL while another attachment of the container uses the namespace.
   * `@cni/iptables`, `@cni/nftables`, `@cni/ipset` and `openRtnl` obey it.
   */
  kept: string | undefined = undefined
  #fd: number | undefined

  /** Takes over the descriptor. Use `open` instead. */
  constructor(path: string, fd: number, identity: { dev: bigint; ino: bigint }) {
    this.path = path
    this.dev = identity.dev
    this.ino = identity.ino
    this.#fd = fd
  }

  /** The open descriptor. */
  get fd(): number {
    if (this.#fd !== undefined) return this.#fd
    throw new NetnsError('CLOSED', `The namespace ${JSON.stringify(this.path)} is closed; open it again`, {
      path: this.path,
    })
  }

  /** Do both name the same namespace? Also answers when one is closed. */
  isSame(other: Netns): boolean {
    return this.ino === other.ino && this.dev === other.dev
  }

  /** Closes the descriptor. A second call does nothing. */
  close(): void {
    const fd = this.#fd
    this.#fd = undefined
    if (fd !== undefined) closeSync(fd)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** An open namespace, or the one this process was in before it entered any. There is no default. */
export type NetnsTarget = Netns | 'host'

/** The reason why removals in a namespace leave what they find: {@link Netns.kept}. Never on the node. */
export function keptIn(netns: NetnsTarget): string | undefined {
  return netns === 'host' ? undefined : netns.kept
}
