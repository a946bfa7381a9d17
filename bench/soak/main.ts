/** Runs the soak test in network and mount namespaces of its own, for `npm run soak`. */
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '@cni/host'
import { main, Stop, say } from '../../scripts/lib/progress.ts'
import { root } from '../lib/compiled.ts'
import { until } from '../lib/until.ts'
import { type Life, newLife } from './life.ts'
import { type SoakNode, soakNode } from './node.ts'
import { soakOptions } from './options.ts'
import { plan } from './plan.ts'
import { reasons, reportText, type SoakReport, type TimedSample, verdicts } from './report.ts'
import { newSampler } from './sampler.ts'
import { newTally, type Tally } from './tally.ts'
import { wrongReference, wrongs } from './verify.ts'

const options = soakOptions(process.argv.slice(2))
const PROGRESS_MS = 30_000
/** Maximum number of unfinished steps, such as ADD or DEL. On a slow machine, further steps wait. */
const MAX_OPEN = 40
/** Time limit for the last repairs in milliseconds. Longer than the agent's interval for checks of all pods. */
const RIGHT_MS = 120_000

await main(async () => {
  await run(['ip', 'link', 'set', 'lo', 'up'])
  const logFile = options.log ?? join(root, 'dist/soak/agent.log')
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'w')
  const report = await soaked(log)
  closeSync(log)
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report)}\n`)
  process.stdout.write(reportText(report))
  const failed = reasons(report)
  if (failed.length > 0) throw new Stop(`${failed.join('\n')}\nThe agent's log: ${logFile}`)
})

async function soaked(log: number): Promise<SoakReport> {
  const { durationMs, adds, seed } = options
  await using node = await soakNode(log)
  const pid = node.pid()
  process.once('exit', () => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
  })
  // Exits on Ctrl-C or SIGTERM, because the cleanup runs in the process's event `exit`.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  say(`the agent is ready; ${adds} pods in ${durationMs / 60_000} minutes, seed ${seed}`)
  const tally = newTally()
  using life = newLife(node, tally)
  const began = performance.now()
  const stop = new AbortController()
  const sampling = sampled(node, { began, life, tally, signal: stop.signal })
  for (const { at, ...step } of plan({ seed, durationMs, adds })) {
    while (performance.now() - began < at || life.open > MAX_OPEN) await sleep(20)
    life.begin(step)
  }
  await life.settled()
  stop.abort()
  const samples = await sampling
  for (const text of wrongReference(life)) tally.wrong(text)
  await allRight(node, life, tally)
  for (const pod of [...life.pods.keys()]) life.begin({ do: 'del', pod })
  await life.settled()
  await allRight(node, life, tally)
  const calls = tally.summary()
  return {
    ...{ minutes: durationMs / 60_000, seed, calls, quantities: verdicts(samples) },
    ...{ wrong: tally.wrongs, samples },
  }
}

/** Samples the agent's resources until the soak test ends, and prints progress. */
async function sampled(
  node: SoakNode,
  { began, life, tally, signal }: { began: number; life: Life; tally: Tally; signal: AbortSignal },
): Promise<TimedSample[]> {
  const sample = newSampler(node)
  const every = Math.min(10_000, Math.max(1000, options.durationMs / 300))
  const samples: TimedSample[] = []
  let reported = 0
  while (!signal.aborted) {
    const at = performance.now() - began
    const values = await sample()
    samples.push({ at, values })
    if (at - reported > PROGRESS_MS) {
      reported = at
      const { ADD, CHECK, DEL } = tally.summary()
      const calls = `${ADD?.done ?? 0} ADD, ${CHECK?.done ?? 0} CHECK, ${DEL?.done ?? 0} DEL`
      const memory = `${values['anonymous MB'].toFixed(1)} MB, ${values.descriptors} descriptors`
      say(
        `  ${(at / 60_000).toFixed(1)} min: ${calls}; ${memory}; ${life.open} steps open, ${tally.wrongs.length} wrong`,
      )
    }
    await sleep(Math.max(0, at + every - (performance.now() - began)))
  }
  return samples
}

/** Records each fault that the agent has not repaired at the end. */
async function allRight(node: SoakNode, life: Life, tally: Tally): Promise<void> {
  let found: readonly string[] = []
  const isRight = async (): Promise<boolean> => {
    found = await wrongs(node, life)
    return found.length === 0
  }
  await sleep(1000)
  await until(isRight, 'all is right', { limit: RIGHT_MS, every: 1000 }).catch(() => {})
  for (const text of found) tally.wrong(text)
}
