import fc from 'fast-check'
import { seed } from '../../../../../test/deep.ts'
import { runs } from './peers.ts'

/** The result of a case: fields with unexplained differences, and the decisions that explain other differences. */
export interface Verdict {
  readonly unexplained: readonly string[]
  readonly explained: readonly string[]
  /** The case and its differences, for people. */
  print?(): string
}

/** Figures of a sweep. */
export interface Report {
  readonly cases: number
  readonly known: Readonly<Record<string, number>>
  /** The smallest cases with unexplained differences, as text. */
  readonly disagreements: readonly string[]
}

/** The number of such cases that a sweep shrinks before it ends. */
const ENOUGH = Number(process.env.CNI_FUZZ_REPORTS ?? 1)
/** Time limit of shrinking a case. */
const SHRINK_MS = 20_000
/** Cases at a time. While one waits for the kernel, another one uses the processor. */
const AT_ONCE = 3

/** Compares `$CNI_FUZZ_RUNS` random cases, several at a time, and shrinks the cases with unexplained differences. */
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

/** Shrinks the case at an index as long as it has unexplained differences. */
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
