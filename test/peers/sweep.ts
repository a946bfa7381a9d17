import fc from 'fast-check'
import { seed } from '../deep.ts'
import { runs } from './peers.ts'

/** Result of comparing Istio's program and ours. `explained` contains the documented differences. */
export interface Verdict {
  readonly unexplained: readonly string[]
  readonly explained: readonly string[]
  /** Describes the random case and its differences for the test's failure report. */
  print?(): string
}

/**
 * Result of comparing Istio's program and ours with random cases: numbers of cases, and cases with unexplained
 * differences.
 */
export interface Report {
  readonly cases: number
  readonly known: Readonly<Record<string, number>>
  /** Texts of the smallest random cases with unexplained differences. */
  readonly disagreements: readonly string[]
}

/** Number of random cases with undocumented differences after which the comparison ends. */
const ENOUGH = Number(process.env.CNI_FUZZ_REPORTS ?? 1)
/** Time limit in milliseconds for shrinking a random case. */
const SHRINK_MS = 20_000
/** Number of random cases that run concurrently. While one waits for the kernel, another one uses the processor. */
const AT_ONCE = 3

/**
 * Compares Istio's program and ours with `$CNI_FUZZ_RUNS` random cases, several at a time. Shrinks the cases with
 * unexplained differences.
 */
export async function sweep<Case>(cases: fc.Arbitrary<Case>, judge: (one: Case) => Promise<Verdict>): Promise<Report> {
  const drawn = fc.sample(cases, { seed, numRuns: runs })
  const known: Record<string, number> = {}
  const disagreements: string[] = []
  let next = 0
  let compared = 0
  const worker = async (): Promise<void> => {
    while (next < drawn.length && disagreements.length < ENOUGH) {
      const index = next
      next += 1
      const one = drawn[index]
      if (one === undefined) return
      const { unexplained, explained } = await judge(one)
      compared += 1
      for (const id of explained) known[id] = (known[id] ?? 0) + 1
      if (unexplained.length > 0) disagreements.push(await smallest(cases, index, judge))
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
    const { unexplained, print } = await judge(one)
    if (unexplained.length > 0) last = print?.() ?? unexplained.join()
    return unexplained.length === 0
  })
  await fc.check(property, { seed, path: `${index}`, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS })
  return `seed ${seed}, case ${index}:\n${last || 'disagreed once and agreed when it was repeated'}`
}
