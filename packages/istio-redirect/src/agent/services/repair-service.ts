import type { AgentConfig } from '../config/agent-config.ts'
import type { RepairDeps } from '../repair/start-repair.ts'
import { keepRunning } from '../shared/keep-running.ts'
import { agentService, type Service } from '../shared/service.ts'

type StartRepair = (deps: RepairDeps) => Promise<void>

/** Loads the repair controller only if needed, because most nodes do not use repair. */
const load = async (): Promise<StartRepair> => (await import('../repair/start-repair.ts')).startRepair

/** Runs the repair controller beside the installer. A failure of repair does not affect the installation. */
export function repairService(
  deps: Pick<RepairDeps, 'log' | 'metrics' | 'watches'>,
  start: () => Promise<StartRepair> = load,
): Service<AgentConfig> {
  return agentService(
    ({ repair, api }) => ({ repair, api }),
    async ({ repair: config, api }) => {
      if (config === undefined) return async () => {}
      const stop = new AbortController()
      const { signal } = stop
      const run = async (): Promise<void> => (await start())({ ...deps, config, api, signal })
      const done = keepRunning('repair', run, { log: deps.log, signal })
      return async () => {
        stop.abort()
        await done
      }
    },
  )
}
