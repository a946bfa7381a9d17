import type { Sandbox } from './sandbox.ts'
import { isPart, parts, type State, sameRules } from './state.ts'

/** Names of the results that the tests compare between Istio's program and ours. */
export const fields = ['outcome', 'output', ...parts] as const

/** Name of a compared result: one of {@link fields}. */
export type Field = (typeof fields)[number]

/** Result of running a test case with one program: Istio's or ours. */
export interface Side {
  /** Exit code of the last call in the test case. */
  readonly exitCode: number | null
  /** Compared results, each as text. */
  readonly results: Readonly<Record<Field, string>>
  /** Whole output of the program, for a test's failure report. */
  readonly printed: string
}

/** Results of Istio's program and of ours for the same test case. */
export interface Pair {
  readonly theirs: Side
  readonly ours: Side
}

/** Results of a test case, with which a {@link KnownDifference} recognizes itself. */
export interface Seen<Case> extends Pair {
  readonly one: Case
  /** State of the network namespace before the plugin's calls, or before the last command of the test case. */
  readonly untouched: State
}

/** Documented difference between Istio's program and ours, as in docs/differences-from-istio.md. */
export interface KnownDifference<Case> {
  readonly id: string
  readonly what: string
  holds(seen: Seen<Case>, field: Field): boolean
}

/** Identifier of a documented difference: only our programs normalize lists of ports. */
export const LISTS = 'A6'

/** Documented difference of both programs of Istio: the plugin and the command-line program. */
export const oneBackend: KnownDifference<Sandbox> = {
  id: 'D7',
  what: 'Both address families use one back end: iptables-legacy if it has tables. Istio chooses a back end for each family.',
  holds: ({ one, theirs, ours }, field) =>
    one.foreign.some((line) => line.startsWith('iptables-legacy')) &&
    ((field === 'nft ipv6' && ours.results[field] === '' && theirs.results['legacy ipv6'] === '') ||
      (field === 'legacy ipv6' && sameRules(theirs.results['nft ipv6'], ours.results[field]))),
}

/** True if our program has not changed a part of the network namespace. */
export const isUntouched = ({ ours, untouched }: Seen<unknown>, field: Field): boolean =>
  isPart(field) && ours.results[field] === untouched[field]

/** True if our program has not changed the network namespace. */
export const wroteNothing = (seen: Seen<unknown>): boolean => parts.every((part) => isUntouched(seen, part))
