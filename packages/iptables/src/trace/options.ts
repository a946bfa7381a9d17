import type { IptablesBackend } from '../iptables-backend.ts'

/** Facts that the caller of `trace` knows besides the packet. */
export interface TraceOptions {
  /**
   * Decides the order of tables in INPUT: nat before security on `iptables-nft`, after it on `iptables-legacy`.
   * Default: `iptables-nft`.
   */
  readonly backend?: IptablesBackend
  /**
   * Entries of the sets that rules use: addresses, networks, ranges. Commas separate dimensions; a port is `80` or
   * `tcp:80`. Rules with a set that is not given stay undecided.
   */
  readonly sets?: Readonly<Record<string, readonly string[]>>
  /** Decides whether the packet is within the rate of every `limit` condition. */
  readonly limit?: 'within' | 'exceeded'
  /** Decides whether every `statistic` condition selects the packet. */
  readonly statistic?: 'hit' | 'miss'
  /**
   * Answers for conditions that are unknown or not modelled. The key is the condition's text as in `reason`, `!`
   * included: `{ '-m recent --rcheck': true }`. The step reports the answer that it used.
   */
  readonly assume?: Readonly<Record<string, boolean>>
}
