import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IptablesBackend } from '@cni/iptables'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import type { NetnsTarget } from '@cni/netns'
import type { Conflist, PluginConf } from '@cni/types'
import { isLease, namesIn } from '../../../packages/istio-redirect/src/testing/node/node.ts'
import { COMPILED } from '../../../packages/istio-redirect/test/stage/executables.ts'
import { rulesIn as rulesOf } from '../../../packages/istio-redirect/test/stage/rules.ts'
import { type ChainKind, conflistOf, NETWORK } from './conflist.ts'
import { folderFor } from './throw-away.ts'

const REFERENCE = ['loopback', 'bridge', 'ptp', 'host-local', 'portmap']

/** Environment of a container runtime under test: plugins, network configuration, and an API server with the pods. */
export interface Stage extends AsyncDisposable {
  readonly binDir: string
  readonly confDir: string
  readonly runDir: string
  readonly ipamDir: string
  readonly api: ApiServer
  /** Overwrites the network configuration in place, because container runtimes notice this change. */
  use(kind: ChainKind, ours?: readonly PluginConf[]): Conflist
  /** Lists the pod addresses that the IPAM plugin host-local has assigned. */
  leases(): string[]
  /** Lists the names of the attachment records that our plugin has written. */
  stateFiles(): string[]
  /** Removes the kubeconfig and all other files of our plugin from the run directory. */
  forget(): void
}

/** Folders of a container runtime's plugins and network configurations. */
export type CniFolders = Pick<Stage, 'binDir' | 'confDir'>

/** Builds our plugin's configuration in the conflist, as the node agent writes it. */
export const entry = (runDir: string, more: object = {}): PluginConf => ({
  type: 'istio-cni',
  cni_agent_run_dir: runDir,
  plugin_log_level: 'debug',
  capabilities: { 'io.kubernetes.cri.pod-annotations': true },
  ...more,
})

/** Creates the test node's folders, network configuration and API server. */
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
      // Removes the plugins' folder of 110 MB at the end of each test.
      rmSync(binDir, { recursive: true })
    },
  }
  api.writeKubeconfig(runDir)
  stage.use(kind)
  return stage
}

/** Reads the IPv4 and IPv6 rules in a network namespace, without dates and counters. */
export async function rulesIn(namespace: NetnsTarget, backend: IptablesBackend = 'iptables-nft'): Promise<string> {
  return (await rulesOf(namespace, backend)).replaceAll(/\[\d+:\d+\]/g, '')
}
