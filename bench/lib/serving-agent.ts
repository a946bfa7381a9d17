import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from '@cni/istio-redirect/testing/node'

/** The compiled node agent, running and ready to serve plugin calls. */
export interface ServingAgent extends AsyncDisposable {
  /** CPU time in milliseconds that the agent has used since its start, in steps of 10. */
  cpuMs(): number
}

/** Starts the agent and waits until it watches the node's pods. */
export async function startServingAgent(file: string, node: Node, folder: string): Promise<ServingAgent> {
  const at = (name: string): string => {
    const path = join(folder, 'agent', name)
    mkdirSync(path, { recursive: true })
    return path
  }
  const account = at('account')
  writeFileSync(join(account, 'token'), node.api.token)
  writeFileSync(join(account, 'ca.crt'), node.api.ca)
  const { hostname, port } = new URL(node.api.url)
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    MOUNTED_CNI_NET_DIR: at('net'),
    MOUNTED_CNI_BIN_DIRS: at('bin'),
    CNI_BIN_SOURCE_DIR: at('source'),
    SERVICE_ACCOUNT_DIR: account,
    CNI_AGENT_RUN_DIR: node.runDir,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    NODE_NAME,
    HEALTH_PORT: '0',
    MONITORING_PORT: '0',
    REPAIR_ENABLED: 'false',
  }
  const child = spawn(file, { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const deadline = performance.now() + START_MS
  while (!existsSync(join(node.runDir, 'serve.sock')) || node.api.watches() === 0) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${file} does not serve (exit code ${child.exitCode})`)
    }
    await sleep(10)
  }
  return {
    cpuMs() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Name of the node whose pods the measured agent watches. */
export const NODE_NAME = 'bench'

/** Time limit for the start of the measured agent, in milliseconds. */
const START_MS = 20_000
