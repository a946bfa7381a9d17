import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endProcess } from './end-process.ts'

/** API server of an agent, and the credentials of the agent's service account. */
export interface AgentServer {
  readonly url: string
  readonly ca: string
  readonly token: string
}

/** Prepares an agent of a simulated node. All files of the agent are in `folder`. */
export function folderAgent(
  file: string,
  { url, ca, token }: AgentServer,
  folder: string,
  more: Readonly<Record<string, string>>,
) {
  const at = (name: string): string => {
    const path = join(folder, name)
    mkdirSync(path, { recursive: true })
    return path
  }
  const account = at('account')
  writeFileSync(join(account, 'token'), token)
  writeFileSync(join(account, 'ca.crt'), ca)
  const { hostname, port } = new URL(url)
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    MOUNTED_CNI_NET_DIR: at('net'),
    MOUNTED_CNI_BIN_DIRS: at('bin'),
    CNI_BIN_SOURCE_DIR: at('source'),
    SERVICE_ACCOUNT_DIR: account,
    CNI_AGENT_RUN_DIR: at('run'),
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    HEALTH_PORT: '0',
    MONITORING_PORT: '0',
    ...more,
  }
  let child: ChildProcess | undefined
  return {
    start(): ChildProcess {
      child = spawn(file, { env, stdio: 'ignore' })
      return child
    },
    stop: async (): Promise<void> => void (await endProcess(child)),
  }
}
