import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  ambientMetrics,
  defaultProbeSource,
  metricsRegistry,
  podWatches,
  type StartedAmbient,
  startAmbient,
} from '@cni/istio-redirect/agent'
import { type ApiServer, ambientGrants, plainPod, startApiServer } from '@cni/istio-redirect/testing'
import { startApp } from '@cni/istio-redirect/testing/node'
import { type Netns, netns, openRtnl } from '@cni/netns'

/** Who has which address. */
export const ADDRESS = { node: '10.244.0.1', web: '10.244.0.2', client: '10.244.0.3' } as const
export const APP_PORT = 8080
export const ECHO_PORT = 9000
export const POD = { namespace: 'shop', name: 'web', uid: '55efbedd-5af0-4fb0-b896-61604f0b0b53' } as const
const MODE = 'istio.io/dataplane-mode'

/** A node with two pods, an API server, and the ambient part of the agent. */
export interface MeshNode extends AsyncDisposable {
  readonly agent: StartedAmbient
  readonly api: ApiServer
  readonly ztunnelSocket: string
  readonly log: readonly string[]
  /** The pod of the story, and one that never joins. */
  readonly web: Netns
  readonly client: Netns
  /** Sets or removes the label that asks for ambient mode. */
  label(value: 'ambient' | undefined): void
  annotation(): string | undefined
}

/** Builds it in this network namespace and a folder. */
export async function startMeshNode(folder: string): Promise<MeshNode> {
  await using stack = new AsyncDisposableStack()
  const web = stack.use(netns.create('cni-demo-web'))
  const client = stack.use(netns.create('cni-demo-client'))
  await wire({ web, client })
  stack.use(await startApp(web, { name: 'web', ports: [APP_PORT] }))
  stack.use(await startApp('host', { name: 'server', ports: [APP_PORT], uid: 1001 }))
  const open = new Set<Socket>()
  const echo = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => echo.listen(ECHO_PORT, ADDRESS.node, resolve))
  stack.defer(() => {
    echo.close()
    for (const socket of open) socket.destroy()
  })
  const api = stack.use(await startApiServer({ grants: ambientGrants, token: 'a.demo.token' }))
  api.setNamespace(POD.namespace, {})
  const label: MeshNode['label'] = (value) => {
    const base = api.getPod(POD.namespace, POD.name) ?? plainPod({ ...POD })
    const labels = value === undefined ? {} : { [MODE]: value }
    api.setPod({
      ...base,
      metadata: { ...base.metadata, uid: POD.uid, labels },
      spec: { ...base.spec, nodeName: 'demo', serviceAccountName: 'web' },
      status: { phase: 'Running', podIP: ADDRESS.web, podIPs: [{ ip: ADDRESS.web }] },
    })
  }
  label(undefined)
  const log: string[] = []
  const agent = await startAgent(folder, api, web, log)
  stack.defer(() => agent.stop('removed'))
  const all = stack.move()
  return {
    agent,
    api,
    ztunnelSocket: join(folder, 'ztunnel/ztunnel.sock'),
    log,
    web,
    client,
    label,
    annotation: () => api.getPod(POD.namespace, POD.name)?.metadata.annotations?.['ambient.istio.io/redirection'],
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function wire(pods: { readonly web: Netns; readonly client: Netns }): Promise<void> {
  using rtnl = await openRtnl('host')
  await rtnl.setLinkUp('lo')
  await rtnl.addLink({ name: 'mesh0', kind: 'bridge', up: true })
  await rtnl.addAddress('mesh0', `${ADDRESS.node}/24`)
  for (const name of ['web', 'client'] as const) {
    const peer = { name: 'eth0', netns: pods[name] }
    await rtnl.addLink({ kind: 'veth', name: `to-${name}`, up: true, master: 'mesh0', peer })
    using inside = await openRtnl(pods[name])
    await inside.setLinkUp('lo')
    await inside.setLinkUp('eth0')
    await inside.addAddress('eth0', `${ADDRESS[name]}/24`)
    await inside.addRoute({ destination: 'default', gateway: ADDRESS.node })
  }
}

async function startAgent(folder: string, api: ApiServer, web: Netns, log: string[]): Promise<StartedAmbient> {
  for (const name of ['run', 'ztunnel', 'sa']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'sa/token'), 'a.demo.token', { mode: 0o600 })
  writeFileSync(join(folder, 'sa/ca.crt'), api.ca)
  // No runtime puts processes into the cgroups of pods here: a procfs of the agent's own says whose namespace is whose.
  showProcess(folder, 1, '/proc/self/ns/net', '/')
  showProcess(folder, 2, web.path, `/kubepods/besteffort/pod${POD.uid}/c1`)
  const line = (level: string) => (text: string) => void log.push(`${level} ${text}`)
  const registry = metricsRegistry()
  return startAmbient({
    config: {
      selectors: [{ podSelector: { matchLabels: { [MODE]: 'ambient' } } }],
      excludeNamespaces: ['kube-system'],
      systemNamespace: 'istio-system',
      nodeName: 'demo',
      eventSocket: join(folder, 'run/pluginevent.sock'),
      ztunnelSocket: join(folder, 'ztunnel/ztunnel.sock'),
      capture: { ipv6: true, dnsCapture: true, probeSource: defaultProbeSource },
      reconcile: true,
      nativeNftables: false,
      forceIptablesBinary: 'nft',
      backEndFile: join(folder, 'run/ambient-backend.json'),
      switchToHost: true,
      branchInterfaces: false,
      podRoundMs: 30_000,
    },
    api: {
      server: api.url,
      tokenFile: join(folder, 'sa/token'),
      caFile: join(folder, 'sa/ca.crt'),
      namespace: 'istio-system',
    },
    watches: podWatches(),
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    metrics: ambientMetrics(registry),
    requests: registry.counter('istio_cni_plugin_requests_total', 'Requests of plugins', ['response_code']),
    failed: () => {},
    closed: () => {},
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
