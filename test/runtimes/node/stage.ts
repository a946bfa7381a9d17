import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginConf } from '@cni/types'
import { COMPILED } from '../../../packages/istio-redirect/test/stage/executables.ts'
import { stage } from '../../../packages/istio-redirect/test/stage/stage.ts'
import { type ChainKind, podNetwork } from './pod-network.ts'

/** Environment of a container runtime under test: plugins, network configuration, and an API server with the pods. */
export type Stage = Awaited<ReturnType<typeof setStage>>

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
export const setStage = (kind: ChainKind) =>
  stage({ api: {} }, ({ api, path }) => {
    const [binDir, confDir, runDir] = [path('bin'), path('net'), path('run')]
    for (const folder of [binDir, confDir, runDir]) mkdirSync(folder)
    const network = podNetwork(path)
    const use = (next: ChainKind, ours = [entry(runDir)]) => network.use(next, ours)
    use(kind)
    copyFileSync(COMPILED, join(binDir, 'istio-cni'))
    api.writeKubeconfig(runDir)
    return {
      ...network,
      path,
      use,
      binDir,
      confDir,
      runDir,
      api,
      /** Removes the kubeconfig and all other files of our plugin from the run directory. */
      forget() {
        for (const name of readdirSync(runDir)) rmSync(join(runDir, name), { recursive: true })
      },
    }
  })
