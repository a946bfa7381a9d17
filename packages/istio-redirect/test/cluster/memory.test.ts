import { afterAll, beforeAll, expect, test } from 'vitest'
import { install, memory, uninstall } from './agent.ts'
import { until } from './cluster.ts'
import { hasOriginal, installOriginal, loadOriginal } from './original.ts'

const it = test.skipIf(!hasOriginal)

/** What the kernel charges a pod for beside its memory, such as tables and stacks, differs by so much from start to start. */
const TOLERANCE = 1.05

/** It gives memory back half a minute after its start. */
const CALM_MS = 45_000

const ROUNDS = 2

beforeAll(async () => {
  if (hasOriginal) await loadOriginal()
})
afterAll(() => uninstall())

it(`at rest the agent's pod is not charged for more than ${TOLERANCE} × the original's, in turn`, async () => {
  const ours: Memory[] = []
  const theirs: Memory[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await atRest(install))
    theirs.push(await atRest(installOriginal))
  }
  const row = (name: string, all: readonly Memory[]) =>
    `${name} ${all.map(({ anonymous, workingSet }) => `${anonymous.toFixed(1)} of ${workingSet.toFixed(1)}`).join(', ')}`
  process.stdout.write(`anonymous of working set, MB: ${row('ours', ours)}; ${row('original', theirs)}\n`)
  for (const { anonymous } of ours) expect(anonymous).toBeLessThanOrEqual(16)
  expect(least(ours)).toBeLessThanOrEqual(least(theirs) * TOLERANCE)
})

type Memory = Awaited<ReturnType<typeof memory>>

/** Files that were read count as in use for a while: the least of a round is what it needs. */
const least = (all: readonly Memory[]): number => Math.min(...all.map(({ workingSet }) => workingSet))

/** What a newly installed agent needs, once that has not become less for a while. */
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
