import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { podAnnotationsKey, statusAnnotation } from '../src/decide/before-asking.ts'
import { startApiServer } from '../src/testing/api-server.ts'
import { addRandomPod } from './add-random-pod.ts'
import { type PodCase, podCase } from './e2e/original/random-pod.ts'
import { sandbox } from './e2e/original/sandbox.ts'
import { readState } from './e2e/original/state.ts'
import { kernelDump } from './native/kernel-dump.ts'
import { servingAgent } from './serve-agent.ts'

// CNI_FUZZ_RUNS=1000 for a long run, with another seed each time: the report of a failure names it.
const { CNI_FUZZ_RUNS } = process.env
const runs = Number(CNI_FUZZ_RUNS ?? 24)
const seed = CNI_FUZZ_RUNS === undefined ? 20_261_122 : Date.now() % 0x7fffffff

test('a random pod has the same result, rules, record and log, whether an agent decides or not, or its annotations are known', {
  timeout: 60_000 + runs * 4000,
}, async () => {
  const runDir = mkdtempSync(join(tmpdir(), 'istio-redirect-'))
  await using api = await startApiServer()
  api.writeKubeconfig(runDir)
  await using agent = await servingAgent(runDir, [])
  let handedOver = 0
  try {
    await fc.assert(
      fc.asyncProperty(podCase, fc.boolean(), async (drawn, native_nftables) => {
        const one = { ...drawn, conf: { ...drawn.conf, native_nftables } }
        api.setPod(one.pod)
        await agent.setPod(one.pod)
        const alone = { ...one.conf, agent: 'never' }
        const outcome = await add({ ...one, conf: alone }, runDir)
        expect(await add(one, runDir)).toEqual(outcome)
        const { annotations } = one.pod.metadata
        // A pod of the mesh, as far as containerd can tell: what it seems to need is made while the API server is asked.
        if (annotations === undefined || !Object.hasOwn(annotations, statusAnnotation)) return
        const runtimeConfig = { [podAnnotationsKey]: annotations }
        expect(await add({ ...one, conf: { ...alone, runtimeConfig } }, runDir)).toEqual(outcome)
        handedOver += 1
      }),
      { numRuns: runs, seed, endOnFailure: CNI_FUZZ_RUNS === undefined },
    )
  } finally {
    rmSync(runDir, { recursive: true, force: true })
  }
  const decided = (act: string) => agent.answers.filter((each) => each === act).length
  expect(decided('program')).toBeGreaterThan(runs / 10)
  expect(decided('skip') + decided('error')).toBeGreaterThan(0)
  expect(handedOver).toBeGreaterThan(runs / 10)
})

/** What is there after ADD, and what was said. */
async function add(one: PodCase, runDir: string): Promise<unknown> {
  await using target = await sandbox(one)
  const records = join(runDir, 'attachments')
  rmSync(records, { recursive: true, force: true })
  const outcomes: unknown[] = []
  for (let made = 0; made < one.calls; made += 1) {
    const { exitCode, stdout, stderr } = await addRandomPod(one, target, runDir)
    outcomes.push({ exitCode, stdout: placeless(stdout, target.path), log: linesOf(placeless(stderr, target.path)) })
  }
  const state = await readState(target)
  const native = kernelDump(target).filter((line) => line.includes(OWN))
  return { outcomes, state, native, records: recordsIn(records) }
}

/** In the names of our tables, as they stand in a dump. */
const OWN = Buffer.from('istio-proxy').toString('hex')

const placeless = (text: string, path: string) => text.replaceAll(path, '/the/pod')

/** Without when, how long, and who decided. */
function linesOf(stderr: string): unknown[] {
  const lines: Record<string, unknown>[] = stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return lines
    .filter(({ msg }) => msg !== 'the node agent does not decide: the plugin does' && msg !== 'iptables by netlink')
    .map(({ time: _, durationMs: __, error, ...line }) => ({ ...line, error: error !== undefined }))
}

function recordsIn(folder: string): unknown[] {
  try {
    const files = readdirSync(folder)
    return files.map((file) => ({ ...JSON.parse(readFileSync(join(folder, file), 'utf8')), netns: 'of the pod' }))
  } catch {
    return [] // none was written
  }
}
