import type { Phase } from './phases.ts'

/** Results of one run of the fleet benchmark. */
export interface FleetReport {
  readonly date: string
  readonly nodes: number
  /** Number of simulated nodes with a whole agent. All other nodes run only the agent's watch of pods. */
  readonly agents: number
  readonly pods: number
  readonly phases: readonly Phase[]
}

/** Formats the results of the fleet benchmark as a Markdown table. */
export function fleetMarkdown({ date, nodes, agents, pods, phases }: FleetReport): string {
  const about = `${nodes} nodes with ${pods} pods each, ${agents} of them with a whole agent; ${date.slice(0, 10)}.`
  const head = '| phase | s | requests | a minute and node | most in a second | 429 | kB of lists | CPU s | MB |'
  const rows = phases.map(({ name, seconds, requests, bytes, cpuSeconds, megabytes }) => {
    const rate = requests.total / nodes / (seconds / 60)
    const cells = [
      name,
      seconds.toFixed(0),
      requests.total,
      rate.toFixed(2),
      requests.peak,
      requests.refused,
      (bytes / 1000).toFixed(0),
      cpuSeconds.toFixed(1),
      megabytes.toFixed(0),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [about, '', head, `|${' --- |'.repeat(9)}`, ...rows, ''].join('\n')
}
