import type { AgentConfig } from '../config/agent-config.ts'
import { keepRunning } from '../part/keep-running.ts'
import { agentPart, type Part } from '../part/part.ts'
import type { RepairServices } from '../repair/start-repair.ts'

type StartRepair = (services: RepairServices) => Promise<void>

/** Loads the repair controller only if needed, because most nodes do not use repair. */
const load = async (): Promise<StartRepair> => (await import('../repair/start-repair.ts')).startRepair

/** Runs the repair controller beside the installer. A failure of repair does not affect the installation. */
export function repairPart(
  services: Pick<RepairServices, 'log' | 'metrics' | 'watches'>,
  start: () => Promise<StartRepair> = load,
): Part<AgentConfig> {
  return agentPart(
    ({ repair, api }) => ({ repair, api }),
    async ({ repair: config, api }) => {
      if (config === undefined) return async () => {}
      const stop = new AbortController()
      const { signal } = stop
      const run = async (): Promise<void> => (await start())({ ...services, config, api, signal })
      const done = keepRunning('repair', run, { log: services.log, signal })
      return async () => {
        stop.abort()
        await done
      }
    },
  )
}
