import { join } from 'node:path'
import type { StartedAmbient } from '@cni/istio-redirect/agent'
import { ambientGrants, plainPod } from '@cni/istio-redirect/testing'
import { startApp, startTransparentZtunnel, type TransparentZtunnel } from '@cni/istio-redirect/testing/node'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { type Netns, netns, openRtnl, sysctl } from '@cni/netns'
import type { NodeMode } from '../options.ts'
import { startAgent } from './mesh-agent.ts'

/** IPv4 addresses of the demo's node, pods and server. The node has one route for each address. */
export const PTP = {
  node: '10.244.255.1',
  'ztunnel-a': '10.244.0.2',
  'ztunnel-b': '10.244.0.3',
  web: '10.244.0.4',
  server: '10.244.0.5',
} as const
export type PtpName = Exclude<keyof typeof PTP, 'node'>
export const PTP_PORT = 8080
const UID = {
  web: '55efbedd-5af0-4fb0-b896-61604f0b0b53',
  'ztunnel-a': '55efbedd-5af0-4fb0-b896-61604f0b0b5a',
  'ztunnel-b': '55efbedd-5af0-4fb0-b896-61604f0b0b5b',
  server: '55efbedd-5af0-4fb0-b896-61604f0b0b5c',
} as const

/** Simulated node with point-to-point links to its pods, and two ztunnels. */
export interface PtpMesh extends AsyncDisposable {
  readonly agent: StartedAmbient
  readonly at: Readonly<Record<PtpName, Netns>>
  readonly api: ApiServer
  readonly ztunnels: Readonly<Record<'ztunnel-a' | 'ztunnel-b', TransparentZtunnel>>
  /** Sets or removes the label for ambient mode on the Kubernetes namespace of the pod. */
  label(asks: boolean): void
  ready(name: 'ztunnel-a' | 'ztunnel-b', is: boolean): void
  annotation(): string | undefined
}

/** Builds the simulated node in the network namespace of this process. `folder` receives the node's files. */
export async function startPtpMesh(folder: string, redirected: NodeMode): Promise<PtpMesh> {
  await using stack = new AsyncDisposableStack()
  const make = (name: PtpName): Netns => stack.use(netns.create(`cni-demo-${name}`))
  const at = {
    web: make('web'),
    server: make('server'),
    'ztunnel-a': make('ztunnel-a'),
    'ztunnel-b': make('ztunnel-b'),
  }
  await wire(at)
  stack.use(await startApp(at.server, { name: 'server', ports: [PTP_PORT] }))
  const ztunnels = {
    'ztunnel-a': startTransparentZtunnel(at['ztunnel-a']),
    'ztunnel-b': startTransparentZtunnel(at['ztunnel-b']),
  }
  stack.use(ztunnels['ztunnel-a'])
  stack.use(ztunnels['ztunnel-b'])
  const api = stack.use(await startApiServer({ grants: ambientGrants, token: 'a.demo.token' }))
  api.setNode('demo', {}, { status: { addresses: [{ type: 'InternalIP', address: PTP.node }] } })
  const label: PtpMesh['label'] = (asks) =>
    api.setNamespace('shop', asks ? { 'istio.io/dataplane-mode': 'ambient' } : {})
  label(false)
  const put = (namespace: string, name: PtpName, isReady: boolean): void => {
    const base = plainPod({ namespace, name, labels: namespace === 'shop' ? {} : { app: 'ztunnel' } })
    const minute = name === 'ztunnel-b' ? '02' : '01'
    const metadata = { ...base.metadata, uid: UID[name], creationTimestamp: `2024-05-01T10:${minute}:00Z` }
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
    const spec = { ...base.spec, nodeName: 'demo' }
    api.setPod({ ...base, metadata, spec, status: { phase: 'Running', podIP: PTP[name], conditions } })
  }
  put('shop', 'web', true)
  put('istio-system', 'ztunnel-a', true)
  put('istio-system', 'ztunnel-b', false)
  const mode = {
    selectors: [{ namespaceSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } }],
    optOut: true,
    nodeLevel: {
      mode: redirected,
      tunnel: 'vxlan',
      configFile: join(folder, 'ambient-config/config.json'),
      hostIp: undefined,
    },
  } as const
  const shown = (['ztunnel-a', 'ztunnel-b', 'web'] as const).map((name) => ({ uid: UID[name], netns: at[name] }))
  const agent = await startAgent({ folder, api, pods: shown, log: [] }, mode)
  stack.defer(() => agent.stop('removed'))
  const all = stack.move()
  return {
    agent,
    at,
    api,
    ztunnels,
    label,
    ready: (name, is) => put('istio-system', name, is),
    annotation: () => api.getPod('shop', 'web')?.metadata.annotations?.['ambient.istio.io/redirection'],
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

// internal

async function wire(at: Readonly<Record<PtpName, Netns>>): Promise<void> {
  using rtnl = await openRtnl('host')
  await rtnl.setLinkUp('lo')
  await rtnl.addAddress('lo', `${PTP.node}/32`)
  await sysctl('host').set('net/ipv4/ip_forward', true)
  for (const name of ['web', 'server', 'ztunnel-a', 'ztunnel-b'] as const) {
    const link = `to-${name}`
    await rtnl.addLink({ kind: 'veth', name: link, up: true, peer: { name: 'eth0', netns: at[name] } })
    await rtnl.addRoute({ cidr: `${PTP[name]}/32`, link })
    using inside = await openRtnl(at[name])
    await inside.setLinkUp('lo')
    await inside.setLinkUp('eth0')
    await inside.addAddress('eth0', `${PTP[name]}/32`)
    await inside.addRoute({ cidr: `${PTP.node}/32`, link: 'eth0' })
    await inside.addRoute({ destination: 'default', gateway: PTP.node, link: 'eth0' })
  }
}
