import { type Place, placeOf, type Where } from '@cni/netns/handle'
import type { IptablesBackend } from './iptables-backend.ts'
import { checkFamilies } from './rules/family-list.ts'
import type { Family, Ruleset } from './rules/model.ts'
import { checkInteger } from './rules/numbers.ts'
import type { IptablesPort } from './run/port.ts'
import { type OpenWork, openWork } from './session/open-work.ts'

/** Options of `iptables()`. All are optional. */
export interface IptablesOptions {
  /**
   * Back end to use. Default `'auto'`: legacy if it holds rules in the namespace. Otherwise, `'auto'` uses the back end
   * of the node's `iptables-restore`.
   */
  readonly backend?: IptablesBackend | 'auto' | undefined
  /**
   * IP families to write. Default: IPv4, and IPv6 if the kernel has it. The default omits a family whose iptables
   * programs are missing. Rules for this family throw `NO_BINARY`.
   */
  readonly families?: readonly Family[] | undefined
  /** Seconds to wait for the file lock of the legacy back end, at least 1. Default: 30. */
  readonly waitSeconds?: number | undefined
  /**
   * Hides the node's nsswitch.conf from the iptables programs, because a name lookup must not leave the pod. Default:
   * true.
   */
  readonly shield?: boolean | undefined
  /**
   * Selects netlink or the iptables programs for the nft back end. Default: `'auto'`.
   * - `auto`: programs only where netlink cannot be used
   * - `never`: netlink only; throws where `auto` would use programs
   * - `always`: programs only
   *
   * The legacy back end always needs programs.
   */
  readonly programs?: 'auto' | 'always' | 'never' | undefined
  /**
   * Prints the restore text with which a family's rules are first written. Default: `restoreText`. The text's `-N`
   * lines make the kernel refuse a second write.
   */
  readonly print?: ((rules: Ruleset, family: Family) => string) | undefined
  /** Replaces the access to programs and files of the node; for tests. */
  readonly port?: IptablesPort | undefined
}

/** Network namespace of a call, with a function that opens access to its iptables rules. */
export interface Work {
  readonly context: Place
  /** Opens the access to the namespace's rules at the first call. Later calls return the same object. */
  open(): Promise<OpenWork>
}

/** Validates the options of `iptables()` and finds the namespace. Runs no program. */
export function workIn(where: Where, options: IptablesOptions): Work {
  const context = placeOf(where, 'iptables')
  const sessionOptions = {
    backend: options.backend ?? 'auto',
    programs: options.programs ?? 'auto',
    families: checkFamilies(options.families),
    // Refuses a lock wait of 0: for `--wait 0`, iptables waits forever. iptables 1.8.9 also waits forever without
    // `--wait`.
    waitSeconds: checkInteger(options.waitSeconds ?? 30, 1, 3600, 'waitSeconds'),
    signal: context.signal,
    log: context.log,
  }
  const { port, shield = true } = options
  let opened: Promise<OpenWork> | undefined
  const open = async () => openWork(context, sessionOptions, { port, shield })
  return { context, open: () => (opened ??= open()) }
}
