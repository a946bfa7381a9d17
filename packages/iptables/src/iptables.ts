import { applyRuleset } from './apply/apply.ts'
import { removeByPrefix, removeRuleset } from './apply/remove.ts'
import type { ApplyReport } from './apply/report.ts'
import { diffRuleset } from './apply/verify.ts'
import type { Family, Ruleset } from './rules/model.ts'
import { checkInteger } from './rules/numbers.ts'
import type { BackendKind } from './run/backend.ts'
import { netnsPort } from './run/netns-port.ts'
import type { IptablesPort } from './run/port.ts'
import { checkFamilies, openSession } from './run/session.ts'
import { placeOf, type Where } from './run/where.ts'
import { type Drift, isClean } from './state/drift.ts'
import { DriftError } from './state/drift-error.ts'
import { restoreText } from './text/restore-text.ts'

/** How to reach the kernel. Everything is optional. */
export interface IptablesOptions {
  /** Default `'auto'`: legacy if it holds rules in the namespace, else what the node's `iptables-restore` is. */
  readonly backend?: BackendKind | 'auto' | undefined
  /** Default: IPv4, and IPv6 if the kernel has it in the namespace. */
  readonly families?: readonly Family[] | undefined
  /** Seconds to wait for the lock of the legacy back end, at least 1. Default 30. */
  readonly wait?: number | undefined
  /** Hide the node's nsswitch.conf from the programs, so that no name lookup leaves the pod. Default: true. */
  readonly shield?: boolean | undefined
  /** Prints the text of a first `apply`; default `restoreText`. Its `-N` lines are what makes a second one safe. */
  readonly print?: ((rules: Ruleset, family: Family) => string) | undefined
  /** What runs programs and reads files; for tests. */
  readonly port?: IptablesPort | undefined
}

/** Rules in the kernel of one namespace. */
export interface Iptables {
  /** The back end that is written to. */
  backend(): Promise<BackendKind>
  /**
   * Brings the ruleset into the kernel: written when nothing of it is there, corrected when something differs, left
   * alone when it is there already. Fails as a whole: then nothing of this call stays.
   */
  apply(rules: Ruleset): Promise<ApplyReport>
  /** Throws a `DriftError` unless the kernel holds exactly this ruleset; rules of others are ignored. */
  verify(rules: Ruleset): Promise<void>
  /** What `verify` would complain about, as data. */
  diff(rules: Ruleset): Promise<Drift>
  /** Removes the ruleset's chains and rules. What is not there is fine. */
  remove(rules: Ruleset): Promise<void>
  /** Removes all chains whose name begins with `prefix`, in all tables, and the jumps to them. */
  removeChains(prefix: string): Promise<void>
  /** The kernel's rules as `iptables-save` prints them. */
  save(family: Family): Promise<string>
}

/**
 * The iptables of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`: its `signal` stops
 * running programs, its `undo` gets the way back before anything is written. Nothing runs before the first call.
 *
 * @example
 * ```ts
 * import { iptables, ruleset } from '@cni/iptables'
 * import { netns } from '@cni/netns'
 *
 * const rules = ruleset({ nat: ['EX'] }, (t) => [
 *   t.nat.on('OUTPUT').proto('tcp').dport(80).jump('EX'),
 *   t.nat.on('EX').proto('tcp').redirect(8080),
 * ])
 * export async function redirect(path: string) {
 *   using pod = netns.open(path)
 *   const { plan } = await iptables(pod).apply(rules) // 'fresh'; a second time 'unchanged'
 *   return plan
 * }
 * ```
 */
export function iptables(where: Where, options: IptablesOptions = {}): Iptables {
  const place = placeOf(where)
  const port = options.port ?? netnsPort(place, { shield: options.shield ?? true })
  const session = openSession(port, {
    backend: options.backend ?? 'auto',
    families: checkFamilies(options.families),
    // 0 would be for ever, in iptables 1.8.9 as well as no --wait at all.
    wait: checkInteger(options.wait ?? 30, 1, 3600, 'wait'),
    signal: place.signal,
    log: place.log,
  })
  const print = options.print ?? restoreText
  const diff = (rules: Ruleset) => diffRuleset(session, rules)
  return {
    backend: async () => (await session.backends()).chosen.kind,
    apply: (rules) => applyRuleset(session, rules, { print, undo: place.undo }),
    diff,
    async verify(rules) {
      const drift = await diff(rules)
      if (!isClean(drift)) throw new DriftError(drift)
    },
    remove: (rules) => removeRuleset(session, rules),
    removeChains: (prefix) => removeByPrefix(session, prefix),
    save: async (family) => session.save((await session.backends()).chosen, family),
  }
}
