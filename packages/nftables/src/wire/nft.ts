import { debugFor } from '@cni/host/debug'
import type { NetnsTarget } from '@cni/netns'
import type { Channel, Message } from '@cni/netns/netlink'
import { Batch, messagesOf } from './batch/batch.ts'
import { type Dumps, dumpsOver } from './dumps/dumps.ts'
import { decodeFields } from './fields/fields.ts'
import { NFGENMSG, NFT_MSG_GETGEN, nfgenmsg, typeOf } from './messages.ts'
import { NftError } from './nft-error.ts'
import { generationFields } from './objects.ts'
import { openNetfilter } from './open-netfilter.ts'
import { refused, requestRefused } from './refusal/refusal.ts'
import { type RetryOptions, withRetries } from './retry.ts'

/**
 * nf_tables of a namespace over one netlink socket. Works inside and outside `netns.run`. On Linux before 6.9, `close`
 * waits until the kernel has freed deleted objects.
 */
export interface Nft extends Dumps, Disposable {
  /** Netlink port of the socket. Each {@link Commit} made through this socket has this `port`. */
  port(): number
  /** Generation number of the namespace's rules. Every commit of any process increments the number. */
  generation(): number
  /**
   * Commits all changes of a batch or none. An empty batch is not sent. Throws `NftError`: `REFUSED` with all faults,
   * `STALE` if the rules have another generation, `DENIED`, `UNSUPPORTED`.
   */
  commit(batch: Batch): {
    /** Netlink messages of the batch's changes, for `changesOf`. Empty for a batch without `echo`. */
    readonly echo: readonly Message[]
  }
  /** Lets the kernel validate a batch like `commit`, without changing anything. */
  check(batch: Batch): void
  /**
   * Runs a read-modify-write transaction. The function `plan` reads rules and fills the batch. `plan` is called again
   * if another process changes rules meanwhile. An empty batch is not sent. Resolves with the value of `plan`. Rejects
   * with `CHANGED` after the last retry.
   *
   * For a change that does not depend on the current rules, use `commit`.
   *
   * @example
   * await nft.transact((batch) => {
   *   for (const rule of nft.rules(chain)) if (rule.comment === 'ours') batch.deleteRule(rule)
   * })
   */
  transact<T>(
    plan: (batch: Batch) => T,
    options?: RetryOptions & {
      /** Called after the commit, with the changes that the kernel reported. */
      readonly onCommit?: ((committed: ReturnType<Nft['commit']>) => void) | undefined
    },
  ): Promise<T>
  /**
   * Reads several kinds of objects at one generation of the rules. Calls the function again if another process has
   * changed rules during the call.
   */
  read<T>(body: () => T, options?: RetryOptions): Promise<T>
  /** Closes the netlink socket. A second call does nothing. */
  close(): void
}

/** Result of a batch that the kernel committed: the reported changes. */
export type Committed = ReturnType<Nft['commit']>

/**
 * Opens nf_tables of a namespace. Throws `NftError('UNSUPPORTED')` if the kernel has no netfilter. Throws `NetnsError`
 * if the namespace cannot be entered.
 *
 * @example
 * using nft = openNft(pod)
 * const ours = nft.rules({ family: 'ip', table: 'nat' })
 */
export function openNft(target: NetnsTarget): Nft {
  return nftFrom(openNetfilter(target))
}

/** Creates an `Nft` over an open netlink channel. Tests pass a channel to a fake kernel. */
export function nftFrom(channel: Channel): Nft {
  const debug = debugFor('nftables')
  const dumps = dumpsOver(channel)

  const generation = () => {
    try {
      const reply = channel.get({ type: typeOf(NFT_MSG_GETGEN), fixed: nfgenmsg(0), what: 'Ask for the generation' })
      return decodeFields(generationFields, reply.body, NFGENMSG).generation
    } catch (error) {
      throw requestRefused(error)
    }
  }
  let mustWait = false
  const close = () => (mustWait ? channel.leave() : channel.close())
  const send = (batch: Batch, commit: boolean): Committed => {
    if (batch.size === 0) return { echo: [] }
    mustWait ||= messagesOf(batch).frees
    const begun = performance.now()
    const bytes = batch.bytes({ commit })
    const outcome = channel.exchange(bytes, 'Change nf_tables')
    const error = refused(batch, bytes, outcome)
    debug?.(commit ? 'commit' : 'check', {
      messages: batch.size,
      bytes: bytes.length,
      ms: performance.now() - begun,
      ...(error === undefined ? {} : { error }),
    })
    if (error !== undefined) throw error
    return { echo: outcome.replies }
  }

  return {
    ...dumps,
    port: () => channel.port(),
    generation,
    commit: (batch) => send(batch, true),
    check: (batch) => void send(batch, false),
    transact(plan, options = {}) {
      const { onCommit } = options
      const once = () => {
        const batch = new Batch({ generation: generation(), echo: onCommit !== undefined })
        const value = plan(batch)
        const committed = send(batch, true)
        if (batch.size > 0) onCommit?.(committed)
        return value
      }
      return withRetries('change', once, options)
    },
    read(body, options = {}) {
      const once = () => {
        const before = generation()
        const value = body()
        if (generation() === before) return value
        throw new NftError('STALE', 'The rules have changed while they were read')
      }
      return withRetries('read', once, options)
    },
    close,
    [Symbol.dispose]: close,
  }
}
