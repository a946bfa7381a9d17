import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { StartedAmbient } from '@cni/istio-redirect/agent'
import { ambientGrants, plainPod } from '@cni/istio-redirect/testing'
import { startApp } from '@cni/istio-redirect/testing/node'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { type Netns, netns, openRtnl } from '@cni/netns'
import { startAgent } from './mesh-agent.ts'

/** IPv4 addresses of the demo's node and of its pods. */
export const ADDRESS = { node: '10.244.0.1', web: '10.244.0.2', client: '10.244.0.3' } as const
export const APP_PORT = 8080
export const ECHO_PORT = 9000
export const POD = { namespace: 'shop', name: 'web', uid: '55efbedd-5af0-4fb0-b896-61604f0b0b53' } as const
const MODE = 'istio.io/dataplane-mode'

/** Simulated node for the ambient demo: two pods, an API server, and an agent in ambient mode. */
export interface MeshNode extends AsyncDisposable {
  readonly agent: StartedAmbient
  readonly api: ApiServer
  readonly ztunnelSocket: string
  readonly log: readonly string[]
  /** Network namespaces of the demo's pods: `web` joins the mesh, `client` never joins it. */
  readonly web: Netns
  readonly client: Netns
  /** Sets the label for ambient mode on the pod `web`. The value `undefined` removes the label. */
  label(value: 'ambient' | undefined): void
  annotation(): string | undefined
}

/** Builds the simulated node in the network namespace of this process. `folder` receives the node's files. */
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
  const agent = await startAgent({ folder, api, pods: [{ uid: POD.uid, netns: web }], log })
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
