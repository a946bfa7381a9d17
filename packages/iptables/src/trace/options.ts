import type { IptablesBackend } from '../iptables-backend.ts'

/** What the caller of `trace` knows besides the packet. */
export interface TraceOptions {
  /** In INPUT nat comes before security on `iptables-nft`, after it on `iptables-legacy`. Default: `iptables-nft`. */
  readonly backend?: IptablesBackend
  /**
   * Entries of the sets that rules ask for: addresses, networks, ranges; dimensions are separated by commas, a port is
   * `80` or `tcp:80`. A set that is not given leaves its rules open.
   */
  readonly sets?: Readonly<Record<string, readonly string[]>>
  /** Whether the packet is within the rate of every `limit`. */
  readonly limit?: 'within' | 'exceeded'
  /** Whether every `statistic` picks it. */
  readonly statistic?: 'hit' | 'miss'
  /**
   * Answers for conditions that are not modelled or not known, by their text as `reason` gives it, `!` included:
   * `{ '-m recent --rcheck': true }`. A step that used one says so.
   */
  readonly assume?: Readonly<Record<string, boolean>>
}
