import { afterAll, beforeAll, expect, test } from 'vitest'
import { install, memory, uninstall } from './agent.ts'
import { until } from './cluster.ts'
import { hasOriginal, installOriginal, loadOriginal } from './original.ts'

const it = test.skipIf(!hasOriginal)

/** Memory of a pod differs by this factor from start to start: its heap, its page tables and its stacks. */
const TOLERANCE = 1.05

/** Documented memory of the agent in megabytes, without files and kernel memory. */
const ANONYMOUS_MB = 16

/** The agent returns memory half a minute after its start. */
const CALM_MS = 45_000

const ROUNDS = 2

beforeAll(async () => {
  if (hasOriginal) await loadOriginal()
})
afterAll(() => uninstall())

it(`at rest the agent’s pod uses at most ${TOLERANCE} × the memory of the original’s, measured in turn`, async () => {
  const ours: Memory[] = []
  const theirs: Memory[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await atRest(install))
    theirs.push(await atRest(installOriginal))
  }
  const row = (name: string, all: readonly Memory[]) =>
    `${name} ${all.map(({ anonymous, workingSet }) => `${anonymous.toFixed(1)} of ${workingSet.toFixed(1)}`).join(', ')}`
  process.stdout.write(`anonymous of working set, MB: ${row('ours', ours)}; ${row('original', theirs)}\n`)
  for (const { anonymous } of ours) expect(anonymous).toBeLessThanOrEqual(ANONYMOUS_MB * TOLERANCE)
  expect(least(ours)).toBeLessThanOrEqual(least(theirs) * TOLERANCE)
})

type Memory = Awaited<ReturnType<typeof memory>>

/** The least working set of a round. Files that were read count as in use for a while. */
const least = (all: readonly Memory[]): number => Math.min(...all.map(({ workingSet }) => workingSet))

/** Memory of a newly installed agent, once it has not decreased for a while. */
async function atRest(begin: () => Promise<void>): Promise<Memory> {
  await begin()
  let lowest = await memory()
  let since = performance.now()
  await until('it is at rest', async () => {
    const now = await memory()
    if (now.workingSet < lowest.workingSet) {
      lowest = now
      since = performance.now()
    }
    return performance.now() - since > CALM_MS
  })
  await uninstall()
  return lowest
}
