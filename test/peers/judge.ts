import { isDeepStrictEqual } from 'node:util'
import { type Field, fields, type KnownDifference, LISTS, type Pair } from './differences.ts'
import type { State } from './state.ts'
import type { Verdict } from './sweep.ts'

/** Istio's program and ours for one kind of test cases. */
export interface Comparison<Case> {
  /** Runs our program with the test case `one`, and Istio's program with the test case `theirs`. */
  compare(one: Case, theirs: Case): Promise<Pair>
  readonly known: readonly KnownDifference<Case>[]
  /** Reads the state of a network namespace that our program has not changed yet. */
  untouched(one: Case): Promise<State>
  /** Rewrites the lists in a test case as our program reads the lists. */
  canonical(one: Case): Case
}

/** Creates a function that compares Istio's program and ours in a test case, a second time with canonical lists. */
export function judge<Case>({ compare, known, untouched, canonical }: Comparison<Case>) {
  const attempt = async (one: Case, theirs: Case): Promise<Verdict> => {
    const pair = await compare(one, theirs)
    const differing = fields.filter((field) => pair.theirs.results[field] !== pair.ours.results[field])
    if (differing.length === 0) return { explained: [], disagreement: '' }
    const seen = { ...pair, one, untouched: await untouched(one) }
    const explained = new Set<string>()
    const unexplained = differing.filter((field) => {
      const found = known.find((each) => each.holds(seen, field))
      if (found !== undefined) explained.add(found.id)
      return found === undefined
    })
    const disagreement = unexplained.length === 0 ? '' : report(one, unexplained, pair)
    return { explained: [...explained], disagreement }
  }
  return async (one: Case): Promise<Verdict> => {
    const first = await attempt(one, one)
    const theirs = canonical(one)
    if (first.disagreement === '' || isDeepStrictEqual(theirs, one)) return first
    const second = await attempt(one, theirs)
    return { ...second, explained: [LISTS, ...second.explained] }
  }
}

function report(one: unknown, unexplained: readonly Field[], { theirs, ours }: Pair): string {
  return [
    JSON.stringify(one),
    ...unexplained.map((field) => `--- theirs: ${field}\n${theirs.results[field]}\n+++ ours\n${ours.results[field]}`),
    `<<< theirs ${theirs.printed.slice(-1500)}`,
    `>>> ours ${ours.printed.slice(-1500)}`,
  ].join('\n')
}
