import type { AgentConfig } from '../config/agent-config.ts'
import { agentService, type Service } from '../shared/service.ts'

/** Dependencies of {@link idleMemoryService}, which releases memory of an idle agent. Tests replace them. */
export interface IdleMemoryDeps {
  /** Returns unused memory of the JavaScript runtime to the kernel. Absent if the runtime has no function for this. */
  readonly shrink?: (() => void) | undefined
  /** Returns the processor time that the agent's process has used so far, in milliseconds. */
  readonly cpuMs?: () => number
  /** Interval in milliseconds at which the agent checks if it is idle. */
  readonly checkMs?: number
}

/** Releases unused memory when the agent becomes idle, after its start and after later work. */
export function idleMemoryService({
  shrink = runtimeShrink(),
  cpuMs = ownCpuMs,
  checkMs = 10_000,
}: IdleMemoryDeps = {}): Service<AgentConfig> {
  return agentService<AgentConfig>(
    () => '',
    async () => {
      if (shrink === undefined) return async () => {}
      let seen = cpuMs()
      // Counts the required processor time as used, so that the first idle check releases memory.
      let usedMs = MIN_USED_MS
      const timer = setInterval(() => {
        const now = cpuMs()
        const isIdle = now - seen < checkMs * IDLE_SHARE
        usedMs += (now - seen) * (isIdle ? IDLE_WEIGHT : 1)
        seen = now
        if (!isIdle || usedMs < MIN_USED_MS) return
        usedMs = 0
        shrink()
      }, checkMs)
      timer.unref()
      return async () => {
        clearInterval(timer)
      }
    },
  )
}

/** Share of one processor below which the agent counts as idle. */
const IDLE_SHARE = 0.04

/** Processor time in milliseconds that the agent has to use between two releases of memory. */
const MIN_USED_MS = 300
/** Factor for processor time in idle phases, which leave little garbage. */
const IDLE_WEIGHT = 0.1

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
