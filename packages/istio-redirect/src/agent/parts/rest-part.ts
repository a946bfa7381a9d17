import type { AgentConfig } from '../config/agent-config.ts'
import { agentPart, type Part } from '../part/part.ts'

/** Dependencies of {@link restPart}. Tests replace them. */
export interface RestServices {
  /** Releases memory that the JavaScript runtime holds without need. Absent if the runtime has no function for this. */
  readonly shrink?: (() => void) | undefined
  /** Processor time of this process in milliseconds. */
  readonly cpuMs?: () => number
  /** Interval of the checks in milliseconds. */
  readonly lookMs?: number
}

/**
 * Releases memory when the agent becomes idle: after its start, and later after more work. Compiled code that ran once
 * and
 * the free part of the heap are released.
 */
export function restPart({
  shrink = runtimeShrink(),
  cpuMs = ownCpuMs,
  lookMs = 10_000,
}: RestServices = {}): Part<AgentConfig> {
  return agentPart<AgentConfig>(
    () => '',
    async () => {
      if (shrink === undefined) return async () => {}
      let seen = cpuMs()
      // The agent's start counts as enough work for the first release of memory.
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

/** Share of one processor below which the agent is idle. Probes, scrapes and checks of 250 pods stay below it. */
const CALM = 0.04

/** Processor time that the agent has to use between two releases of memory, in milliseconds. */
const WORTH_MS = 300
/** Share of the idle processor time that counts as work. Work during idle times leaves little garbage. */
const CALM_COUNTS = 0.1

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns bun's `shrink`, which runs when the event loop is idle. */
function runtimeShrink(): (() => void) | undefined {
  const bun: unknown = Reflect.get(globalThis, 'Bun')
  if (typeof bun !== 'object' || bun === null) return undefined
  const shrink: unknown = Reflect.get(bun, 'shrink')
  return typeof shrink === 'function' ? () => void Reflect.apply(shrink, bun, []) : undefined
}
