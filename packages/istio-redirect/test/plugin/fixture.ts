import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredPod } from '@cni/kube/testing'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Plugin, runPlugin } from '@cni/skel'
import { vi } from 'vitest'
import { plugin as istioCni } from '../../src/plugin/plugin.ts'
import { namesIn } from '../../src/testing/node/node.ts'
import { cniEnv } from '../stage/cni-call.ts'
import { rulesIn } from '../stage/rules.ts'
import { stage } from '../stage/stage.ts'

/** Changes of a test to the default call of the plugin. */
export interface CallOptions {
  readonly conf?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
  readonly plugin?: Plugin
}

/** Result of a plugin's call, with its JSON output parsed. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly document: {
    readonly code?: number
    readonly msg?: string
    readonly details?: string
    readonly [more: string]: unknown
  }
  readonly log: readonly { readonly level: string; readonly msg: string; readonly [more: string]: unknown }[]
}

/** Test data for calls of the plugin. Disposing also restores changed environment variables. */
export type Fixture = Awaited<ReturnType<typeof fixture>>

export const prevResult = (...addresses: string[]) => ({
  cniVersion: '1.0.0',
  interfaces: [{ name: 'eth0', sandbox: '/var/run/netns/x' }],
  ips: addresses.map((address) => ({ address, interface: 0 })),
})

/** Starts an API server with the pod, and writes a kubeconfig for the plugin. */
export const fixture = (pod: StoredPod, place: () => Promise<Netns & AsyncDisposable> = tempNetns) =>
  stage({ api: { pods: [pod] } }, async ({ api, root: runDir, stack }) => {
    const target = stack.use(await place())
    stack.defer(() => void vi.unstubAllEnvs())
    api.writeKubeconfig(runDir)
    const { name, namespace } = pod.metadata
    /** Runs a program inside the pod's network namespace and returns its output. */
    const inside = async (...argv: [string, ...string[]]) => (await netns.exec(target, argv)).stdout

    return {
      api,
      netns: target,
      runDir,
      inside,
      async call(verb: string, { conf, env, signal, plugin = istioCni }: CallOptions = {}): Promise<Outcome> {
        const stdin = {
          cniVersion: '1.0.0',
          name: 'pods',
          type: 'istio-cni',
          cni_agent_run_dir: runDir,
          prevResult: prevResult('10.1.2.3/24'),
          ...conf,
        }
        const outcome = await runPlugin(plugin, {
          env: {
            PATH: process.env.PATH,
            ...cniEnv(verb, {
              netns: target.path,
              container: 'container-1',
              namespace,
              name,
              more: ['K8S_POD_UID=7'],
            }),
            ...env,
          },
          stdin: () => JSON.stringify(stdin),
          ...(signal && { signal }),
        })
        return {
          exitCode: outcome.exitCode,
          stdout: outcome.stdout,
          document: outcome.stdout === '' ? {} : JSON.parse(outcome.stdout),
          log: outcome.stderr
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        }
      },
      /** IPv4 and IPv6 rules in the pod's network namespace. */
      rules: () => rulesIn(target),
      /** Reads and parses the attachment records that the plugin has written. */
      state(): Array<Record<string, unknown>> {
        const folder = join(runDir, 'attachments')
        return namesIn(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
      },
    }
  })
