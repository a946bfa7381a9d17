import type { AgentConfig } from '../config/agent-config.ts'
import { agentPart, type Part } from '../part/part.ts'

/** What {@link restPart} works with; for tests. */
export interface RestServices {
  /** Gives back what the runtime holds and does not need; absent where the runtime cannot. */
  readonly shrink?: (() => void) | undefined
  /** Processor time that this process has taken, in milliseconds. */
  readonly cpuMs?: () => number
  /** Between two looks. */
  readonly lookMs?: number
}

/**
 * Gives memory back when the agent comes to rest: after its start, and after it has worked again. Of the 16 MB that the start
 * leaves 2 are code that has run and is not needed any more, and 1 is what was collected and kept for later.
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
      // The start is work enough.
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

/** The share of one processor that probes, scrapes and looks at the node and at 250 pods stay below. */
const CALM = 0.04

/** As much work between two times, in milliseconds. */
const WORTH_MS = 300
/** Of what is done in calm, as again and again, little is left behind: so much of it counts. */
const CALM_COUNTS = 0.1

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** That of bun: it acts when the event loop has nothing to do. */
function runtimeShrink(): (() => void) | undefined {
  const bun: unknown = Reflect.get(globalThis, 'Bun')
  if (typeof bun !== 'object' || bun === null) return undefined
  const shrink: unknown = Reflect.get(bun, 'shrink')
  return typeof shrink === 'function' ? () => void Reflect.apply(shrink, bun, []) : undefined
}
