import { messageOf } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import type { ServingDeps } from '../serve/start-serving.ts'
import { agentService, type Service } from '../shared/service.ts'

/** Serves the plugin's calls. Loads code in the background, because the installer must not wait. */
export function servingService(deps: Omit<ServingDeps, 'config' | 'api'>): Service<AgentConfig> {
  return agentService(
    ({ serve, api }) => serve && { serve, api },
    async ({ serve: config, api }) => {
      if (config === undefined) return async () => {}
      const serving = import('../serve/start-serving.ts')
        .then(({ startServing }) => startServing({ ...deps, config, api }))
        .catch((error: unknown) => {
          deps.failed()
          deps.own.error(`cannot serve calls of the plugin: ${messageOf(error)}`)
        })
      return async () => {
        const stop = await serving
        await stop?.()
      }
    },
  )
}
