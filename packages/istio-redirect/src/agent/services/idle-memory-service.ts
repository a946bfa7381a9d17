import type { AgentConfig } from '../config/agent-config.ts'
import { agentService, type Service } from '../shared/service.ts'

/** Dependencies of {@link idleMemoryService}, which releases memory of an idle agent. Tests replace them. */
export interface IdleMemoryDeps {
  /** Returns unused memory of the JavaScript runtime to the kernel. Absent if the runtime has no function for this. */
  readonly shrink?: (() => void) | undefined
  /** Returns the processor time that the agent's process has used so far, in milliseconds. */
  readonly cpuMs?: () => number
  /** Interval in milliseconds at which the agent checks if it is idle. */
  readonly lookMs?: number
}

/** Releases unused memory when the agent becomes idle, after its start and after later work. */
export function idleMemoryService({
  shrink = runtimeShrink(),
  cpuMs = ownCpuMs,
  lookMs = 10_000,
}: IdleMemoryDeps = {}): Service<AgentConfig> {
  return agentService<AgentConfig>(
    () => '',
    async () => {
      if (shrink === undefined) return async () => {}
      let seen = cpuMs()
      // Counts the required processor time as used, so that the first idle check releases memory.
      let worth = WORTH_MS
      const timer = setInterval(() => {
        const now = cpuMs()
        const isCalm = now - seen < lookMs * CALM
        worth += (now - seen) * (isCalm ? CALM_COUNTS : 1)
        seen = now
        if (!isCalm || worth < WORTH_MS) return
        worth = 0
        shrink()
      }, lookMs)
      timer.unref()
      return async () => {
        clearInterval(timer)
      }
    },
  )
}

/** Share of one processor below which the agent counts as idle. */
const CALM = 0.04

/** Processor time in milliseconds that the agent has to use between two releases of memory. */
const WORTH_MS = 300
/** Factor for processor time in idle phases, which leave little garbage. */
const CALM_COUNTS = 0.1

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns Bun's function `Bun.shrink`, which frees memory when the event loop is idle. */
function runtimeShrink(): (() => void) | undefined {
  const bun: unknown = Reflect.get(globalThis, 'Bun')
  if (typeof bun !== 'object' || bun === null) return undefined
  const shrink: unknown = Reflect.get(bun, 'shrink')
  return typeof shrink === 'function' ? () => void Reflect.apply(shrink, bun, []) : undefined
}
