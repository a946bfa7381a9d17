import fc from 'fast-check'
import { seed } from '../deep.ts'
import { runs } from './peers.ts'

/** Result of comparing Istio's program and ours in one test case. */
export interface Verdict {
  /** Identifiers of the documented differences in the test case. */
  readonly explained: readonly string[]
  /** Text of the test case and of its undocumented differences, for the test's failure report. Empty if none. */
  readonly disagreement: string
}

/** Time limit in milliseconds for shrinking a random case. */
const SHRINK_MS = 20_000
/** Number of random cases that run concurrently. While one waits for the kernel, another one uses the processor. */
const AT_ONCE = 3

/**
 * Compares Istio's program and ours with `$CNI_FUZZ_RUNS` random cases, several at a time. Ends after a case with
 * undocumented differences, and shrinks this case. Returns the number of cases, how often each documented difference
 * occurred, and the texts of the shrunk cases.
 */
export async function sweep<Case>(cases: fc.Arbitrary<Case>, judge: (one: Case) => Promise<Verdict>) {
  const known: Record<string, number> = {}
  const disagreements: string[] = []
  let compared = 0
  // The workers share one iterator, so each random case runs once.
  const drawn = fc.sample(cases, { seed, numRuns: runs }).entries()
  const worker = async (): Promise<void> => {
    for (const [index, one] of drawn) {
      const { explained, disagreement } = await judge(one)
      compared += 1
      for (const id of explained) known[id] = (known[id] ?? 0) + 1
      if (disagreement !== '') disagreements.push(await smallest(cases, index, judge))
      if (disagreements.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return { cases: compared, known, disagreements }
}

/** Shrinks a random case as long as Istio's program and ours differ without an explanation. */
async function smallest<Case>(
  cases: fc.Arbitrary<Case>,
  index: number,
  judge: (one: Case) => Promise<Verdict>,
): Promise<string> {
  let last = ''
  const property = fc.asyncProperty(cases, async (one) => {
    const { disagreement } = await judge(one)
    if (disagreement !== '') last = disagreement
    return disagreement === ''
  })
  await fc.check(property, { seed, path: `${index}`, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS })
  return `seed ${seed}, case ${index}:\n${last || 'disagreed once and agreed when it was repeated'}`
}
