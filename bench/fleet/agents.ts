import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KubeClient, kubeClient, listWatch, serviceAccountAccess, watchStore } from '@cni/kube'
import { folderAgent } from '../lib/agent/folder-agent.ts'
import { nodeName, PLUGIN_ACCOUNT } from './nodes.ts'

/** Address and credentials with which the fleet's agents reach the API server. */
export interface FleetServer {
  readonly url: string
  readonly caFile: string
  readonly tokenFile: string
}

/** An agent of the simulated fleet: a complete agent, or only its watch of pods in the API server. */
export interface FleetAgent {
  start(): unknown
  stop(): Promise<void>
}

/** Creates an agent that installs, serves and repairs the plugin in its own folder. */
export function wholeAgent(file: string, index: number, server: FleetServer, folder: string): FleetAgent {
  const { url, caFile, tokenFile } = server
  const [ca, token] = [readFileSync(caFile, 'utf8'), readFileSync(tokenFile, 'utf8')]
  return folderAgent(file, { url, ca, token }, join(folder, nodeName(index)), {
    POD_NAMESPACE: 'istio-system',
    NODE_NAME: nodeName(index),
    REPAIR_NODE_NAME: nodeName(index),
    REPAIR_LABEL_PODS: 'true',
    PLUGIN_SERVICE_ACCOUNT: PLUGIN_ACCOUNT,
  })
}

/** Runs only the agent's watch of pods, in this process, with the agent's own API client and pod store. */
export function watchingClient(index: number, { url, caFile, tokenFile }: FleetServer): FleetAgent {
  const connect = (): KubeClient =>
    kubeClient(serviceAccountAccess({ server: url, caFile, tokenFile }), { userAgent: 'install-cni' })
  let stop: AbortController | undefined
  let done: Promise<void> | undefined
  return {
    start() {
      stop = new AbortController()
      done = listWatch({
        connect,
        path: '/api/v1/pods',
        fieldSelector: `spec.nodeName=${nodeName(index)}`,
        paged: false,
        observer: watchStore({ keep: (object) => (typeof object === 'object' ? object : undefined) }),
        signal: stop.signal,
      })
    },
    async stop() {
      stop?.abort()
      await done
    },
  }
}
