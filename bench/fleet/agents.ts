import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type KubeClient, kubeClient, listWatch, serviceAccountAccess, watchStore } from '@cni/kube'
import { nodeName, PLUGIN_ACCOUNT } from './nodes.ts'

/** Address and credentials with which the fleet's agents reach the API server. */
export interface FleetServer {
  readonly url: string
  readonly port: number
  readonly caFile: string
  readonly tokenFile: string
}

/** An agent of the simulated fleet: a complete agent, or only its watch of pods in the API server. */
export interface FleetAgent {
  start(): void
  stop(): Promise<void>
}

/** Creates an agent that installs, serves and repairs the plugin in its own folder. */
export function wholeAgent(file: string, index: number, server: FleetServer, folder: string): FleetAgent {
  const at = (name: string): string => {
    const path = join(folder, nodeName(index), name)
    mkdirSync(path, { recursive: true })
    return path
  }
  const account = at('account')
  copyFileSync(server.tokenFile, join(account, 'token'))
  copyFileSync(server.caFile, join(account, 'ca.crt'))
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    MOUNTED_CNI_NET_DIR: at('net'),
    MOUNTED_CNI_BIN_DIRS: at('bin'),
    CNI_BIN_SOURCE_DIR: at('source'),
    SERVICE_ACCOUNT_DIR: account,
    CNI_AGENT_RUN_DIR: at('run'),
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(server.port),
    POD_NAMESPACE: 'istio-system',
    NODE_NAME: nodeName(index),
    REPAIR_NODE_NAME: nodeName(index),
    REPAIR_LABEL_PODS: 'true',
    PLUGIN_SERVICE_ACCOUNT: PLUGIN_ACCOUNT,
    HEALTH_PORT: '0',
    MONITORING_PORT: '0',
  }
  let child: ChildProcess | undefined
  return {
    start() {
      child = spawn(file, { env, stdio: 'ignore' })
    },
    async stop() {
      if (child === undefined || child.exitCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
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
