import { messageOf } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import { agentPart, type Part } from '../part/part.ts'
import type { ServingServices } from '../serve/start-serving.ts'

/** Serves the plugin's calls. Loads code in the background, because the installer must not wait. */
export function servePart(services: Omit<ServingServices, 'config' | 'api'>): Part<AgentConfig> {
  return agentPart(
    ({ serve, api }) => serve && { serve, api },
    async ({ serve: config, api }) => {
      if (config === undefined) return async () => {}
      const serving = import('../serve/start-serving.ts')
        .then(({ startServing }) => startServing({ ...services, config, api }))
        .catch((error: unknown) => {
          services.failed()
          services.own.error(`cannot serve calls of the plugin: ${messageOf(error)}`)
        })
      return async () => {
        const stop = await serving
        await stop?.()
      }
    },
  )
}
