import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Grant } from '@cni/kube/testing'
import { type Cni, cni, loadConflistFile } from '@cni/libcni'
import { ambientGrants, repairGrants } from '../../packages/istio-redirect/src/testing/grants.ts'
import { startZtunnel } from '../../packages/istio-redirect/src/testing/node/ztunnel/ztunnel.ts'
import { type AgentProcess, eventually } from '../../packages/istio-redirect/test/stage/agent-node.ts'
import { stage } from '../../packages/istio-redirect/test/stage/stage.ts'
import { podNetwork } from '../runtimes/node/pod-network.ts'

/** Release of the agent and the plugin: the earlier one, or this commit. */
export type Release = 'released' | 'current'

export const other = (release: Release): Release => (release === 'released' ? 'current' : 'released')

/** Folders with the executables of each release. */
export const PROGRAMS: Readonly<Record<Release, string>> = {
  released: fromEnvironment(),
  current: fileURLToPath(new URL('../../dist/bin', import.meta.url)),
}

const [NAMESPACE, DAEMON_SET] = ['istio-system', 'istio-cni-node']
const GRANTS: readonly Grant[] = [
  ...repairGrants.repair,
  ...ambientGrants,
  ...(['get daemonsets', 'create serviceaccounts/token', 'create events', 'patch events'] as const),
]

/** Test node during an update of the agent's DaemonSet. */
export type UpgradeNode = Awaited<ReturnType<typeof upgradeNode>>

/** Creates a test node for agent updates. */
export async function upgradeNode(env: Readonly<Record<string, string>> = {}) {
  const settings = { POD_NAMESPACE: NAMESPACE, PLUGIN_SERVICE_ACCOUNT: 'istio-cni-plugin', ...env }
  const parts = { agent: { net: {}, env: settings }, api: { grants: GRANTS, token: 'se.cr.et' }, ztunnel: startZtunnel }
  return await stage(parts, ({ agents: files, api, ztunnel }) => {
    const log: string[] = []
    const bin = files.path('bin')
    const runtimeIn = (path: readonly string[]): Cni =>
      cni({
        path,
        cacheDir: files.path('cache'),
        env: { PATH: process.env.PATH },
        timeout: 30_000,
        stderr: (text) => log.push(String(text)),
      })
    api.setDaemonSet(NAMESPACE, DAEMON_SET, {})
    api.setServiceAccount(NAMESPACE, 'istio-cni-plugin')
    const network = podNetwork(files.path)
    network.use({ first: 'bridge', families: 'dual stack' }, [])
    for (const [release, folder] of Object.entries(PROGRAMS)) {
      mkdirSync(files.path(release))
      copyFileSync(join(folder, 'istio-cni'), files.path(release, 'istio-cni'))
    }
    return {
      ...network,
      files,
      api,
      ztunnel,
      runtime: runtimeIn([bin]),
      /** Container runtime that runs the given release's plugin, even if another release is installed. */
      runtimeOf: (release: Release) => runtimeIn([PROGRAMS[release], bin]),
      /** Stops an agent after its DaemonSet is deleted. The agent then removes the plugin from the node. */
      async uninstall(agent: AgentProcess) {
        api.setDaemonSet(NAMESPACE, DAEMON_SET)
        await stop(agent)
        api.setDaemonSet(NAMESPACE, DAEMON_SET, {})
      },
      log,
      /** Conflist of the test node, as a container runtime loads it. */
      list: () => loadConflistFile(files.path('net/10-pods.conflist')),
      /** Starts the agent of a release. Waits until the agent is ready, unless `atOnce` is set. */
      async start(release: Release, { atOnce = false }: { readonly atOnce?: boolean } = {}) {
        const agent = await files.start({
          file: [join(PROGRAMS[release], 'install-cni')],
          // Each release's agent gets other settings, so that every update changes the plugin's entry in the conflist.
          env: { CNI_BIN_SOURCE_DIR: files.path(release), EXCLUDE_NAMESPACES: `kube-system,${release}` },
          atOnce,
        })
        if (!atOnce) await eventually(agent.ready, () => `${release} is ready: ${agent.log()}`, 30_000)
        return agent
      },
    }
  })
}

/** Ends an agent with SIGTERM, as kubelet does. */
export async function stop(agent: AgentProcess): Promise<void> {
  agent.kill('SIGTERM')
  const { code, signal } = await agent.exit
  if (code !== 0) throw new Error(`the agent ended with ${code ?? signal}: ${agent.log()}`)
}

function fromEnvironment(): string {
  const folder = process.env.CNI_UPGRADE_FROM
  if (folder === undefined) throw new Error('CNI_UPGRADE_FROM names no folder with a release: npm run test:upgrade')
  return folder
}
