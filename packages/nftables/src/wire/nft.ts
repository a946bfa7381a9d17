import { debugFor } from '@cni/host/debug'
import type { NetnsTarget } from '@cni/netns'
import type { Channel } from '@cni/netns/netlink'
import { Batch } from './batch.ts'
import { type Dumps, dumpsOver } from './dumps.ts'
import { decodeFields } from './fields.ts'
import { NFGENMSG, NFT_MSG_GETGEN, nfgenmsg, typeOf } from './messages.ts'
import { isNftError, NftError } from './nft-error.ts'
import { generationFields } from './objects.ts'
import { openNetfilter } from './open-netfilter.ts'
import { refused, requestRefused } from './refusal.ts'

/**
 * nf_tables of a namespace, over one socket: changes as batches, and what is there. Nothing waits, also not for what the
 * kernel frees after deletions (about 11 ms; before Linux 6.9 `close` does). May be used inside and outside `netns.run`.
 */
export interface Nft extends Dumps, Disposable {
  /** The `port` in {@link Commit}s that were made through it. */
  port(): number
  /** Counts up with every commit, by whoever. 6 µs. */
  generation(): number
  /**
   * Commits a batch, whole; an empty one is not sent. Throws `NftError`: `REFUSED` with all faults, `STALE` when it is of
   * another generation, `DENIED`, `UNSUPPORTED`; then nothing was changed.
   */
  commit(batch: Batch): void
  /** Has the kernel check a batch, as `commit`, and changes nothing. Takes as long as a refusal: 6 to 16 ms. */
  check(batch: Batch): void
  /**
   * Reads, and changes what was read: the function fills the batch, which is committed only if nobody changed the rules
   * since the function began; else it is called again, with a new one, `retries` times at most (`CHANGED`). An empty batch is
   * not sent. Gives back what the function did.
   *
   * @example
   * nft.transact((batch) => {
   *   for (const rule of nft.rules(chain)) if (rule.comment === 'ours') batch.deleteRule(rule)
   * })
   */
  transact<T>(plan: (batch: Batch) => T, options?: RetryOptions): T
  /** Reads what belongs together: calls the function again, `retries` times at most, when somebody changed something meanwhile. */
  read<T>(look: () => T, options?: RetryOptions): T
  /** A second call does nothing. */
  close(): void
}

/** How often to begin anew when others change something at the same time. */
export interface RetryOptions {
  /** Default 5. */
  readonly retries?: number | undefined
}

/**
 * Opens nf_tables of a namespace. The socket stays there. Throws `NftError('UNSUPPORTED')` without netfilter in the
 * kernel, `NetnsError` when the namespace cannot be entered.
 *
 * @example
 * using nft = openNft(pod)
 * const ours = nft.rules({ family: 'ip', table: 'nat' })
 */
export function openNft(target: NetnsTarget): Nft {
  return nftOver(openNetfilter(target))
}

const RETRIES = 5

/** The same over a channel that is open, or one to a fake of the kernel. */
export function nftOver(channel: Channel): Nft {
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
  const send = (batch: Batch, commit: boolean) => {
    if (batch.size === 0) return
    mustWait ||= batch.deletes
    const begun = performance.now()
    const bytes = batch.bytes({ commit })
    const error = refused(batch, bytes, channel.exchange(bytes, 'Change nf_tables'))
    debug?.(commit ? 'commit' : 'check', {
      messages: batch.size,
      bytes: bytes.length,
      ms: performance.now() - begun,
      ...(error === undefined ? {} : { error }),
    })
    if (error !== undefined) throw error
  }

  return {
    ...dumps,
    port: () => channel.port(),
    generation,
    commit: (batch) => send(batch, true),
    check: (batch) => send(batch, false),
    transact(plan, { retries = RETRIES } = {}) {
      for (let attempt = 1; ; attempt++) {
        const batch = new Batch({ generation: generation() })
        const value = plan(batch)
        try {
          send(batch, true)
          return value
        } catch (error) {
          if (!isNftError(error) || error.code !== 'STALE') throw error
          if (attempt > retries) throw changed(attempt, 'changed them', error)
        }
      }
    },
    read(look, { retries = RETRIES } = {}) {
      for (let attempt = 1; ; attempt++) {
        const before = generation()
        const value = look()
        if (generation() === before) return value
        if (attempt > retries) throw changed(attempt, 'read them')
      }
    },
    close,
    [Symbol.dispose]: close,
  }
}

function changed(attempts: number, done: string, cause?: unknown): NftError {
  return new NftError('CHANGED', `Others changed the rules each of the ${attempts} times that we ${done}`, { cause })
}
