import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AmbientConfig, type StartedAmbient, startAmbient } from '@cni/istio-redirect/agent'
import { defaultProbeSource } from '@cni/istio-rules'
import type { ApiServer } from '@cni/kube/testing'
import type { Netns } from '@cni/netns'

/** Options of the demo's ambient agent. */
export interface MeshAgentOptions {
  readonly folder: string
  readonly api: ApiServer
  /** Pods with their network namespaces. The demo's agent finds only the namespaces of these pods. */
  readonly pods: readonly { readonly uid: string; readonly netns: Netns }[]
  /** Array to which the demo appends the lines of the agent's log. */
  readonly log: string[]
}

/** Starts the agent's ambient mode. The demo process's network namespace acts as the node's. */
export async function startAgent(
  { folder, api, pods, log }: MeshAgentOptions,
  change: Partial<AmbientConfig> = {},
): Promise<StartedAmbient> {
  for (const name of ['run', 'ztunnel', 'sa']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'sa/token'), 'a.demo.token', { mode: 0o600 })
  writeFileSync(join(folder, 'sa/ca.crt'), api.ca)
  // Simulates procfs, because the agent recognizes pods by cgroups and the demo's pods have none.
  showProcess(folder, 1, '/proc/self/ns/net', '/')
  for (const [index, { uid, netns }] of pods.entries()) {
    showProcess(folder, 2 + index, netns.path, `/kubepods/besteffort/pod${uid}/c1`)
  }
  const line = (level: string) => (text: string) => void log.push(`${level} ${text}`)
  return startAmbient({
    config: {
      selectors: [{ podSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } }],
      excludeNamespaces: ['kube-system'],
      systemNamespace: 'istio-system',
      nodeName: 'demo',
      eventSocket: join(folder, 'run/pluginevent.sock'),
      ztunnelSocket: join(folder, 'ztunnel/ztunnel.sock'),
      capture: { ipv6: true, dnsCapture: true, probeSource: defaultProbeSource },
      reconcile: true,
      nativeNftables: false,
      forceIptablesBinary: 'nft',
      backendFile: join(folder, 'run/ambient-backend.json'),
      switchToHost: true,
      branchInterfaces: false,
      podRoundMs: 30_000,
      ...change,
    },
    api: {
      server: api.url,
      tokenFile: join(folder, 'sa/token'),
      caFile: join(folder, 'sa/ca.crt'),
      namespace: 'istio-system',
    },
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    hostRoot: folder,
  })
}

function showProcess(folder: string, pid: number, namespace: string, cgroup: string): void {
  const at = join(folder, 'proc', String(pid))
  mkdirSync(join(at, 'ns'), { recursive: true })
  symlinkSync(namespace, join(at, 'ns/net'))
  writeFileSync(join(at, 'cgroup'), `0::${cgroup}\n`)
  writeFileSync(join(at, 'stat'), `${pid} (app) S ${'0 '.repeat(18)}100 0`)
}
