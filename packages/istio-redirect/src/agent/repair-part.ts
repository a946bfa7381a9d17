import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@cni/types'
import type { AgentConfig } from './config/agent-config.ts'
import { agentPart, type Part } from './part.ts'
import type { RepairServices, StartRepair } from './services.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/** Repair and its Kubernetes client are loaded when repair is on: most nodes never need them. */
const load = async (): Promise<StartRepair> => (await import('./repair/start-repair.ts')).startRepair

/** Runs the repair controller beside the installer. Whatever becomes of it, installing goes on. */
export function repairPart(
  { log, metrics, watches }: Pick<RepairServices, 'log' | 'metrics' | 'watches'>,
  start: () => Promise<StartRepair> = load,
): Part<AgentConfig> {
  return agentPart(
    ({ repair, api }) => ({ repair, api }),
    async ({ repair: config, api }) => {
      const stop = new AbortController()
      const { signal } = stop
      const done =
        config === undefined ? Promise.resolve() : keepRunning(start, { config, api, log, metrics, watches, signal })
      return async () => {
        stop.abort()
        await done
      }
    },
  )
}

async function keepRunning(start: () => Promise<StartRepair>, services: RepairServices): Promise<void> {
  const { log, signal } = services
  let pause = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      const startRepair = await start()
      await startRepair(services)
      if (signal.aborted) return
      log.error('repair ended by itself; it is started again', { pauseMs: pause })
    } catch (error) {
      if (signal.aborted) return
      log.error(`repair: ${messageOf(error)}`, { pauseMs: pause })
    }
    // the pause ends with the agent
    await sleep(pause, undefined, { signal }).catch(() => {})
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}
