import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredPod } from '@cni/kube/testing'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Plugin, runPlugin } from '@cni/skel'
import { vi } from 'vitest'
import { plugin as istioCni } from '../src/plugin/plugin.ts'

/** What a test may want to differ from the ordinary call. */
export interface CallOptions {
  readonly conf?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
  readonly plugin?: Plugin
}

/** What a call left behind, with its documents parsed. */
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

/**
 * A pod's namespace, an API server that knows the pod, and a run directory with its kubeconfig. With it goes what a test
 * has put into the environment.
 */
export interface Fixture extends AsyncDisposable {
  readonly api: ApiServer
  readonly netns: Netns
  readonly runDir: string
  call(verb: string, options?: CallOptions): Promise<Outcome>
  /** Runs a program inside the namespace and returns what it prints. */
  inside(...argv: [string, ...string[]]): Promise<string>
  /** The rules of both families, as the kernel has them. */
  rules(): Promise<string>
  /** The parsed state files. */
  state(): Array<Record<string, unknown>>
}

export const prevResult = (...addresses: string[]) => ({
  cniVersion: '1.0.0',
  interfaces: [{ name: 'eth0', sandbox: '/var/run/netns/x' }],
  ips: addresses.map((address) => ({ address, interface: 0 })),
})

/** Starts everything the plugin needs for one pod. `place` makes its namespace; by default an ordinary one. */
export async function fixture(
  pod: StoredPod,
  place: () => Promise<Netns & AsyncDisposable> = tempNetns,
): Promise<Fixture> {
  const runDir = mkdtempSync(join(tmpdir(), 'istio-redirect-'))
  const target = await place()
  const api = await startApiServer({ pods: [pod] })
  api.writeKubeconfig(runDir)
  const { name, namespace } = pod.metadata
  const inside = async (...argv: [string, ...string[]]) => (await netns.exec(target, argv)).stdout

  return {
    api,
    netns: target,
    runDir,
    inside,
    async call(verb, { conf, env, signal, plugin = istioCni } = {}) {
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
          CNI_COMMAND: verb,
          CNI_CONTAINERID: 'container-1',
          CNI_NETNS: target.path,
          CNI_IFNAME: 'eth0',
          CNI_PATH: '/opt/cni/bin',
          CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name};K8S_POD_UID=7`,
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
    async rules() {
      const texts = [await inside('iptables-save'), await inside('ip6tables-save')]
      return texts.join('').replace(/^#.*\n/gm, '')
    },
    state() {
      const folder = join(runDir, 'attachments')
      try {
        return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
      } catch {
        return [] // never written
      }
    },
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs()
      await api.close()
      await target[Symbol.asyncDispose]()
      rmSync(runDir, { recursive: true, force: true })
    },
  }
}
