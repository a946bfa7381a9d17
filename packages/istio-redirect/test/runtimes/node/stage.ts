import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IptablesBackend } from '@cni/iptables'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import type { NetnsTarget } from '@cni/netns'
import type { Conflist, PluginConf } from '@cni/types'
import { COMPILED } from '../../e2e/executables.ts'
import { isLease, namesIn } from '../../stage/files.ts'
import { rulesIn as rulesOf } from '../../stage/rules.ts'
import { type ChainKind, conflistOf, NETWORK } from './conflist.ts'
import { folderFor } from './throw-away.ts'

const REFERENCE = ['loopback', 'bridge', 'ptp', 'host-local', 'portmap']

/** The surroundings of a runtime: plugins, network configuration, and an API server with the pods. */
export interface Stage extends AsyncDisposable {
  readonly binDir: string
  readonly confDir: string
  readonly runDir: string
  readonly ipamDir: string
  readonly api: ApiServer
  /** Writes the network's configuration in place, so that runtimes notice it. */
  use(kind: ChainKind, ours?: readonly PluginConf[]): Conflist
  /** The addresses that host-local has assigned. */
  leases(): string[]
  /** The plugin's records of attachments. */
  stateFiles(): string[]
  /** Removes the kubeconfig and all other files of our plugin. */
  forget(): void
}

/** Our plugin's entry, as the node agent writes it. */
export const entry = (runDir: string, more: object = {}): PluginConf => ({
  type: 'istio-cni',
  cni_agent_run_dir: runDir,
  plugin_log_level: 'debug',
  capabilities: { 'io.kubernetes.cri.pod-annotations': true },
  ...more,
})

/** Prepares the throw-away node. */
export async function setStage(kind: ChainKind): Promise<Stage> {
  const folder = folderFor('s')
  const at = (name: string): string => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  const [binDir, confDir, runDir, ipamDir] = [at('bin'), at('net.d'), at('run'), at('ipam')]
  for (const name of REFERENCE) copyFileSync(join('/usr/lib/cni', name), join(binDir, name))
  copyFileSync(COMPILED, join(binDir, 'istio-cni'))
  const api = await startApiServer()
  const conflistFile = join(confDir, '10-pods.conflist')
  const stage: Stage = {
    binDir,
    confDir,
    runDir,
    ipamDir,
    api,
    use(next, ours = [entry(runDir)]) {
      const conflist = conflistOf(next, ipamDir, ours)
      writeFileSync(conflistFile, `${JSON.stringify(conflist, null, 2)}\n`)
      return conflist
    },
    leases: () => namesIn(join(ipamDir, NETWORK)).filter(isLease),
    stateFiles: () => namesIn(join(runDir, 'attachments')),
    forget() {
      for (const name of readdirSync(runDir)) rmSync(join(runDir, name), { recursive: true })
    },
    async [Symbol.asyncDispose]() {
      await api.close()
      // // The folder has 110 MB.
      rmSync(binDir, { recursive: true })
    },
  }
  api.writeKubeconfig(runDir)
  stage.use(kind)
  return stage
}

/** The rules of both families in a namespace, without dates and counters. */
export async function rulesIn(namespace: NetnsTarget, backend: IptablesBackend = 'iptables-nft'): Promise<string> {
  return (await rulesOf(namespace, backend)).replaceAll(/\[\d+:\d+\]/g, '')
}
