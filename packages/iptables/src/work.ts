import { type Place, placeOf, type Where } from '@cni/netns/handle'
import type { IptablesBackend } from './iptables-backend.ts'
import { checkFamilies } from './rules/family-list.ts'
import type { Family, Ruleset } from './rules/model.ts'
import { checkInteger } from './rules/numbers.ts'
import type { IptablesPort } from './run/port.ts'
import { type OpenWork, openWork } from './session/open-work.ts'

/** Options for access to the kernel. All are optional. */
export interface IptablesOptions {
  /**
   * Back end to use. Default `'auto'`: legacy if it holds rules in the namespace, otherwise the back end of the node's
   * `iptables-restore`.
   */
  readonly backend?: IptablesBackend | 'auto' | undefined
  /**
   * Families to write. Default: IPv4, and IPv6 if the kernel has it in the namespace. By default, a family without
   * rules in the ruleset is omitted if its programs are missing. A family with rules then throws `NO_BINARY`.
   */
  readonly families?: readonly Family[] | undefined
  /** Seconds to wait for the lock of the legacy back end, at least 1. Default: 30. */
  readonly waitSeconds?: number | undefined
  /** Hides the node's nsswitch.conf from the programs, so that no name lookup leaves the pod. Default: true. */
  readonly shield?: boolean | undefined
  /**
   * Use of programs for the nft back end. Default: `'auto'`.
   * - `auto`: only for rules that netlink cannot write, for a namespace of another user namespace, or without FFI
   * - `never`: throws in these cases
   * - `always`: does not use netlink
   *
   * The legacy back end always needs programs.
   */
  readonly programs?: 'auto' | 'always' | 'never' | undefined
  /** Prints the text of a first `apply` by programs. Default: `restoreText`. Its `-N` lines make a second run safe. */
  readonly print?: ((rules: Ruleset, family: Family) => string) | undefined
  /** Replaces the access to programs and files; for tests. */
  readonly port?: IptablesPort | undefined
}

/** Namespace with access to its iptables rules. */
export interface Work {
  readonly place: Place
  /** Opens the access to the rules at the first call. */
  open(): Promise<OpenWork>
}

/** Validates the options and finds the namespace. Runs no program. */
export function workIn(where: Where, options: IptablesOptions): Work {
  const place = placeOf(where, 'iptables')
  const sessionOptions = {
    backend: options.backend ?? 'auto',
    programs: options.programs ?? 'auto',
    families: checkFamilies(options.families),
    // iptables waits forever for `--wait 0`. Version 1.8.9 does so without `--wait`, too.
    waitSeconds: checkInteger(options.waitSeconds ?? 30, 1, 3600, 'waitSeconds'),
    signal: place.signal,
    log: place.log,
  }
  const { port, shield = true } = options
  let opened: Promise<OpenWork> | undefined
  const open = async () => openWork(place, sessionOptions, { port, shield })
  return { place, open: () => (opened ??= open()) }
}
