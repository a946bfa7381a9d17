import type { AgentConfig } from './config/agent-config.ts'
import { agentPart, type Part } from './part.ts'
import type { ServingServices } from './serve/start-serving.ts'

/** Answers the plugin's calls beside the installer. What decides about pods is loaded when serving is on. */
export function servePart(services: Omit<ServingServices, 'config' | 'api'>): Part<AgentConfig> {
  return agentPart(
    ({ serve, api }) => serve && { serve, api },
    async ({ serve: config, api }) => {
      if (config === undefined) return async () => {}
      const { startServing } = await import('./serve/start-serving.ts')
      return startServing({ ...services, config, api })
    },
  )
}
