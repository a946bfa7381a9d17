import type { IptablesBackend } from '../iptables-backend.ts'

/** Facts that the caller of `trace` knows besides the packet. */
export interface TraceOptions {
  /**
   * Back end that decides the order of tables in INPUT. Default: `iptables-nft`. Only `iptables-nft` runs nat before
   * security.
   */
  readonly backend?: IptablesBackend
  /**
   * Entries of the ipsets that rules use: addresses, networks or ranges. Commas separate dimensions; a port is `80` or
   * `tcp:80`. A condition on a missing ipset stays undecided.
   */
  readonly sets?: Readonly<Record<string, readonly string[]>>
  /** Result of every `limit` condition in the trace: the packet is within the rate, or exceeds it. */
  readonly limit?: 'within' | 'exceeded'
  /** Result of every `statistic` condition in the trace: the condition selects the packet or skips it. */
  readonly statistic?: 'hit' | 'miss'
  /**
   * Results of conditions that are unknown or not modelled. The key is the condition's text as in `reason`:
   * `{ '-m recent --rcheck': true }`.
   */
  readonly assume?: Readonly<Record<string, boolean>>
}
