import { type Place, placeOf, type Where } from '@cni/netns/handle'
import type { IptablesBackend } from './iptables-backend.ts'
import { checkFamilies } from './rules/family-list.ts'
import type { Family, Ruleset } from './rules/model.ts'
import { checkInteger } from './rules/numbers.ts'
import type { IptablesPort } from './run/port.ts'
import { type OpenWork, openWork } from './session/open-work.ts'

/** How to reach the kernel. Everything is optional. */
export interface IptablesOptions {
  /** Default `'auto'`: legacy if it holds rules in the namespace, else what the node's `iptables-restore` is. */
  readonly backend?: IptablesBackend | 'auto' | undefined
  /**
   * Default: IPv4, and IPv6 if the kernel has it in the namespace. Then a family of which a ruleset says nothing is left
   * out where its programs are not installed; one of which it says something is `NO_BINARY`.
   */
  readonly families?: readonly Family[] | undefined
  /** Seconds to wait for the lock of the legacy back end, at least 1. Default 30. */
  readonly waitSeconds?: number | undefined
  /** Hide the node's nsswitch.conf from the programs, so that no name lookup leaves the pod. Default: true. */
  readonly shield?: boolean | undefined
  /**
   * Whether programs write and read the rules of the nft back end. `auto`: only where a rule can be written in no other
   * way, the namespace belongs to another user namespace, or the runtime has no FFI. `never`: that is an error then.
   * `always`: as if there were no netlink. The legacy back end is only for programs. Default `'auto'`.
   */
  readonly programs?: 'auto' | 'always' | 'never' | undefined
  /** Prints the text of a first `apply` by programs; default `restoreText`. Its `-N` lines are what makes a second one safe. */
  readonly print?: ((rules: Ruleset, family: Family) => string) | undefined
  /** What runs programs and reads files; for tests. */
  readonly port?: IptablesPort | undefined
}

/** A namespace, and what reads and writes its rules. */
export interface Work {
  readonly place: Place
  /** Opens it at the first call. */
  open(): Promise<OpenWork>
}

/** Checks the options and finds the namespace. Nothing runs yet. */
export function workIn(where: Where, options: IptablesOptions): Work {
  const place = placeOf(where, 'iptables')
  const sessionOptions = {
    backend: options.backend ?? 'auto',
    programs: options.programs ?? 'auto',
    families: checkFamilies(options.families),
    // 0 would be for ever, in iptables 1.8.9 as well as no --wait at all.
    waitSeconds: checkInteger(options.waitSeconds ?? 30, 1, 3600, 'waitSeconds'),
    signal: place.signal,
    log: place.log,
  }
  const { port, shield = true } = options
  let opened: Promise<OpenWork> | undefined
  const open = async () => openWork(place, sessionOptions, { port, shield })
  return { place, open: () => (opened ??= open()) }
}
