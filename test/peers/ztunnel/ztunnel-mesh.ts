import { expect } from 'vitest'
import { stringify } from 'yaml'
import type { AmbientConfig } from '../../../packages/istio-redirect/src/agent/config/ambient-config.ts'
import { startApp } from '../../../packages/istio-redirect/src/testing/node/stand-ins.ts'
import { meshNode, type TestPod } from '../../../packages/istio-redirect/test/ambient/mesh-node.ts'
import { annotated, pollOptions, ready } from '../../../packages/istio-redirect/test/ambient/served-node.ts'
import { mode } from '../../../packages/istio-rules/test/ambient-pods.ts'
import { startZtunnelProcess } from './ztunnel-process.ts'

/** Kubernetes service of the test pod `shop`. */
export const service = {
  host: 'shop.shop.svc.cluster.local',
  addresses: ['10.99.0.10', 'fd00:99::10'],
} as const

/** Pod as istiod describes it to ztunnel. */
interface MeshedPod extends Pick<TestPod, 'name' | 'namespace' | 'addresses'> {
  /** True if the pod is in the mesh: other pods connect to it by HBONE. */
  readonly isInMesh: boolean
}

/** Test node with an agent and three pods. One pod is outside the mesh. */
export type ZtunnelMesh = Awaited<ReturnType<typeof ztunnelMesh>>

/** Starts the test node with a working agent, without a ztunnel. */
export async function ztunnelMesh(file: string, config: Partial<AmbientConfig> = {}) {
  await using starting = new AsyncDisposableStack()
  const node = starting.use(await meshNode(config, { network: true }))
  const web = await node.pod({ name: 'web', namespace: 'plain' })
  const shop = await node.pod({ name: 'shop', status: false })
  const plain = await node.pod({ name: 'plain', namespace: 'plain' })
  const pods = [web, shop, plain]
  for (const { name, netns } of pods) starting.use(await startApp(netns, { name, ports: [8080] }))
  const agent = await node.start()
  await ready(agent)
  const mesh = meshOf(pods.map((pod) => ({ ...pod, isInMesh: pod !== plain })))
  const stack = starting.move()
  return {
    node,
    agent,
    web,
    shop,
    plain,
    /** Starts a real ztunnel on the test node, and waits until it is ready. */
    async ztunnel() {
      const ztunnel = stack.use(await startZtunnelProcess({ file, path: node.ztunnelSocket, mesh }))
      await expect.poll(() => ztunnel.ready(), { ...pollOptions, message: ztunnel.log() }).toBe(true)
      return ztunnel
    },
    /** Adds two pods to the mesh: `web` by a label, and `shop` by a plugin's event. */
    async enrol() {
      web.change({ labels: { [mode]: 'ambient' } })
      expect(await node.hand(shop)).toMatchObject({ status: 200 })
      for (const pod of [web, shop]) await annotated(pod, 'enabled')
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Builds the expected result of `reached`: the pod's server has seen the client addresses `from`. */
export const answers = (name: string, from: readonly string[]): string[] =>
  from.map((address) => `${name} from ${address}`)

/** Builds the configuration that istiod would send ztunnel for the test's pods and one service. */
export function meshOf(pods: readonly MeshedPod[]): string {
  // Uses a Map, because YAML keeps a Map's ports as numbers. The keys of an object would become strings.
  const ports = new Map([[80, 8080]])
  return stringify({
    workloads: pods.map((pod) => ({
      uid: `Kubernetes//Pod/${pod.namespace}/${pod.name}`,
      name: pod.name,
      workloadName: pod.name,
      namespace: pod.namespace,
      serviceAccount: 'default',
      workloadIps: pod.addresses,
      protocol: pod.isInMesh ? 'HBONE' : 'TCP',
      node: 'n1',
      network: '',
      services: pod.name === 'shop' ? { [`shop/${service.host}`]: ports } : {},
    })),
    services: [
      {
        name: 'shop',
        namespace: 'shop',
        hostname: service.host,
        vips: service.addresses.map((address) => `/${address}`),
        ports,
      },
    ],
  })
}
