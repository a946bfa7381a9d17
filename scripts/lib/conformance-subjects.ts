import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { conformance } from '@cni/conformance'
import { meshPod } from '@cni/istio-redirect/testing'
import { startApiServer } from '@cni/kube/testing'
import { root } from './exec.ts'

type Options = Parameters<typeof conformance>[0]

/** A plugin that `npm run conformance` tests, with its configuration. */
interface Subject {
  readonly name: string
  readonly from: 'debian' | 'ours'
  readonly kind: 'main' | 'chained'
  open(): Promise<AsyncDisposable & { readonly options: Options }>
}

type Conf = Exclude<Options['conf'], string | undefined>

const debian = (name: string, kind: Subject['kind'], conf: Conf = {}): Subject => ({
  ...{ name, from: 'debian', kind },
  open: async () => plain({ plugin: `/usr/lib/cni/${name}`, conf }),
})
const ours = (name: string, kind: Subject['kind'], conf: Conf = {}): Subject => ({
  ...{ name, from: 'ours', kind },
  open: async () => plain({ plugin: join(root, 'dist/bin', name), conf }),
})
const plain = (options: Options) => ({ options, async [Symbol.asyncDispose]() {} })

const ipam = { type: 'host-local', ranges: [[{ subnet: '10.77.0.0/16' }]] }

/** All plugins that `npm run conformance` tests. No plugin of the list needs a hardware device. */
export const subjects: readonly Subject[] = [
  debian('loopback', 'main'),
  debian('bridge', 'main', { bridge: 'cni-conf0', isGateway: true, ipMasq: true, ipam }),
  debian('ptp', 'main', { ipMasq: true, ipam }),
  debian('portmap', 'chained', { snat: true, capabilities: { portMappings: true } }),
  debian('bandwidth', 'chained', { ingressRate: 1_000_000, ingressBurst: 1_000_000 }),
  debian('firewall', 'chained', { backend: 'iptables' }),
  debian('tuning', 'chained', { sysctl: { 'net.ipv4.conf.eth0.log_martians': '1' } }),
  debian('sbr', 'chained'),
  { name: 'istio-cni', from: 'ours', kind: 'chained', open: inMesh },
  ours('hello-chain', 'chained', { port: 15001 }),
  ours('pod-firewall', 'chained', { deny: ['tcp 22'], allow: ['tcp 80'] }),
  ours('ptp-routed', 'main', { ipam }),
]

// internal

/** Prepares istio-cni for the conformance run, with a pod of the mesh and an API server. */
async function inMesh() {
  const folder = mkdtempSync(join(tmpdir(), 'cni-conformance-'))
  const pod = meshPod({})
  const api = await startApiServer({ pods: [pod] })
  api.writeKubeconfig(folder)
  // The wrapper script starts the plugin in the network namespace of this process, because the API server listens
  // there.
  const here = spawn('sleep', ['3600'], { stdio: 'ignore' })
  const plugin = join(folder, 'istio-cni')
  const program = join(root, 'dist/bin/istio-cni')
  writeFileSync(plugin, `#!/bin/sh\nexec nsenter --net=/proc/${here.pid}/ns/net -- ${program}\n`, { mode: 0o755 })
  const { namespace, name } = pod.metadata
  const args = `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name}`
  return {
    options: { plugin, conf: { cni_agent_run_dir: folder }, args },
    async [Symbol.asyncDispose]() {
      here.kill('SIGKILL')
      await api.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
