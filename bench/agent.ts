/** Benchmark of the node agent: start, repair, idle time and exit. CNI_PEERS adds Istio's agent. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '@cni/host'
import { cpuMs } from '../packages/istio-redirect/test/stage/agent-node.ts'
import { type AgentInstance, agentInstance } from './lib/agent/agent-instance.ts'
import { type Agent, measuredAgents } from './lib/agent/measured-agents.ts'
import { type Row, SuiteReport, settings } from './lib/race/suite.ts'
import { percentile } from './lib/report/statistics.ts'

const used = settings({ runs: 10, heals: 10, 'gap-ms': 1200, 'idle-seconds': 20, files: 10_000 })
const { runs, heals, 'gap-ms': gapMs, 'idle-seconds': idleSeconds, files } = used

/** Milliseconds that the benchmark waits for the agent to repair a file. */
const NEVER_MS = 5000
const NEVER_TRIES = 3
/** Number of agent starts that are timed with a full network folder. */
const CROWDED_RUNS = 3

await run(['ip', 'link', 'set', 'lo', 'up'])
const about = 'The node agent in a root folder on a tmpfs: starts and exits in turn, then heals and idling'
const suite = new SuiteReport(about, used)
await using places = new AsyncDisposableStack()
suite.addRows(await measure(measuredAgents()))
suite.write()

/** Measured times of one agent: a list of times for each row of the report. */
type Result = Row[]

/** Alternates between the agents, because the machine's speed changes during a run. */
async function measure(agents: readonly Agent[]): Promise<{ name: string; reference: boolean; rows: Result }[]> {
  const all = agents.map((agent) => ({ name: agent.name, agent: places.use(agentInstance(agent)) }))
  const quiet = await alternateStarts(all, runs)
  const crowded = await alternateStarts(all, CROWDED_RUNS, files)
  const results: { name: string; reference: boolean; rows: Result }[] = []
  for (const [index, { name, agent }] of all.entries()) {
    agent.reset()
    await agent.start()
    const more = [...(await healed(agent.artefacts())), ...(await idling(agent.pid()))]
    await agent.stop()
    agent.reset(files)
    await agent.start()
    const heal = await healed(agent.artefacts().slice(0, 1))
    await agent.stop()
    const [start, exit] = quiet[index] ?? []
    const rows = [...(start ?? []), ...more, ...(exit ?? [])]
    const rowsBeside = [...(crowded[index] ?? []), heal].flat()
    const renamed = rowsBeside.map((row) => ({ ...row, group: `${row.group}, beside ${files} files` }))
    results.push({ name, reference: name !== 'ours', rows: [...rows, ...renamed] })
  }
  return results
}

/** Measures the start and exit times of all agents. */
async function alternateStarts(all: readonly { readonly agent: AgentInstance }[], rounds: number, crowd = 0) {
  const samples = all.map(() => ({ starts: [] as number[], exits: [] as number[] }))
  for (let round = -1; round < rounds; round++) {
    for (const [index, { agent }] of all.entries()) {
      agent.reset(crowd)
      const start = await agent.start()
      const exit = await agent.stop()
      // Drops the results of the first round, which only reads the executables into the page cache.
      if (round === -1 || start === undefined) continue
      samples[index]?.starts.push(start)
      samples[index]?.exits.push(exit)
    }
  }
  return samples.map(({ starts, exits }): [Result, Result] => [
    [{ group: 'start to ready', quantity: 'ms', samples: starts }],
    [{ group: 'SIGTERM to exit', quantity: 'ms', samples: exits }],
  ])
}

async function healed(artefacts: ReturnType<AgentInstance['artefacts']>): Promise<Result> {
  const rows: Result = []
  for (const [group, path, damage] of artefacts) {
    const samples = await healTimes(path, damage)
    const p99 = samples.length === 0 ? [] : [percentile(samples, 0.99)]
    rows.push({ group, quantity: 'ms', samples }, { group, quantity: 'p99 ms', samples: p99 })
  }
  return rows
}

/** Damages one of the agent's files several times. Returns the milliseconds until each repair. */
async function healTimes(path: string, damage: () => void): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < heals; round++) {
    await sleep(gapMs)
    const before = statText(path)
    damage()
    const damaged = statText(path)
    const began = performance.now()
    // A changed token does not change the kubeconfig. The repair is then a newly written kubeconfig.
    const healed = () => (damaged === before ? statText(path) !== before : isWhole(path, before))
    while (!healed() && performance.now() - began < NEVER_MS) await sleep(0)
    if (healed()) {
      times.push(performance.now() - began)
      continue
    }
    writeFileSync(path, before, 'latin1')
    if (round + 1 >= NEVER_TRIES && times.length === 0) return []
  }
  // Returns the times in the order of the rounds: the report compares two agents round by round.
  return times
}

/** Returns the content of a file. For a large file, returns the file's size as text. */
function statText(path: string): string {
  try {
    const { size } = statSync(path)
    return size > 1e6 ? String(size) : readFileSync(path, 'latin1')
  } catch {
    return 'absent'
  }
}

function isWhole(path: string, before: string): boolean {
  return existsSync(path) && statText(path) === before
}

/** Measures an idle agent after a pause, because a new agent still compiles its code. */
async function idling(pid: number): Promise<Result> {
  await sleep(Math.min(60, idleSeconds) * 1000)
  const before = cpuMs(pid)
  await sleep(idleSeconds * 1000)
  const cpu = ((cpuMs(pid) - before) / 1000 / idleSeconds) * 100
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return [
    { group: 'idle', quantity: 'CPU %', samples: [cpu] },
    { group: 'idle', quantity: 'MB', samples: [Number(rss) / 1000] },
  ]
}
