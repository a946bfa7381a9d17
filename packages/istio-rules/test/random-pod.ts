import type { StoredContainer, StoredPod } from '@cni/kube/testing'
import fc from 'fast-check'
import { booleans, cidrs, cidrsOrAll, groups, interfaces, loopback, mostly, ports, portsOrAll } from './values.ts'

/** Random ADD call of the plugin for a pod, with the environment of the call. */
export interface PodCase {
  readonly pod: StoredPod
  readonly cniVersion: string
  readonly conf: Readonly<Record<string, unknown>>
  /** Addresses on the interfaces in the pod's namespace. */
  readonly addresses: readonly string[]
  /**
   * Addresses in the result of the previous plugins: all addresses of the namespace, fewer (without autoconfigured
   * addresses), or more.
   */
  readonly told: readonly string[]
  /** Interfaces in the pod's namespace on which IPv6 is turned off. */
  readonly withoutIpv6: readonly string[]
  readonly previous: 'result' | 'result with more' | 'none'
  /** Environment variables that the container runtime passes to the plugin. */
  readonly env: Readonly<Record<string, string>>
  /** Part of the text of `CNI_ARGS` that follows `K8S_POD_NAME`. */
  readonly args: string
  readonly foreign: readonly string[]
  /** Number of ADD calls that the runtime makes for the pod. */
  readonly calls: 1 | 2
}

const annotations = optional({
  'sidecar.istio.io/interceptionMode': mostly(
    fc.constantFrom('REDIRECT', 'TPROXY', 'TPROXY'),
    fc.constantFrom('NONE', 'redirect', '', 'TPROXY ', 'Tproxy'),
  ),
  'traffic.sidecar.istio.io/includeOutboundIPRanges': cidrsOrAll,
  'traffic.sidecar.istio.io/excludeOutboundIPRanges': cidrs,
  'traffic.sidecar.istio.io/includeInboundPorts': portsOrAll,
  'traffic.sidecar.istio.io/excludeInboundPorts': ports,
  'traffic.sidecar.istio.io/includeOutboundPorts': ports,
  'traffic.sidecar.istio.io/excludeOutboundPorts': ports,
  'traffic.sidecar.istio.io/excludeInterfaces': interfaces,
  'istio.io/reroute-virtual-interfaces': interfaces,
  'traffic.sidecar.istio.io/kubevirtInterfaces': interfaces,
  'status.sidecar.istio.io/port': ports,
})
const inject = mostly(fc.constantFrom('', 'true', 'disabled', '1'), fc.constantFrom('false', 'F', '0'))
const status = mostly(
  fc.constant({ 'sidecar.istio.io/status': '{"version":"1"}' }),
  fc.constant({}),
  fc.constant({ 'sidecar.istio.io/status': '' }),
)

const id = fc.option(mostly(fc.constantFrom(0, 1337, 1000, 1000670000, 2147483647), fc.nat({ max: 2147483647 })), {
  nil: undefined,
})
const variables = optional({
  ISTIO_META_DNS_CAPTURE: booleans,
  ISTIO_DUAL_STACK: booleans,
  INVALID_DROP: booleans,
  DISABLE_ENVOY: mostly(fc.constantFrom('false', '', 'no'), fc.constantFrom('true', '1')),
  ISTIO_META_OTHER: fc.string(),
})
const ownGroups = mostly(
  fc.constant({}),
  fc.record({ ISTIO_OUTBOUND_OWNER_GROUPS: groups }),
  fc.record({ ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE: groups }),
)
const env = fc
  .tuple(variables, ownGroups, fc.boolean(), mostly(fc.constant(false), fc.constant(true)))
  .map(([plain, owners, twice, indirect]) => {
    const entries = Object.entries({ ...plain, ...owners }).map(([name, value]) => ({ name, value }))
    const first = twice ? entries.map(({ name }) => ({ name, value: 'true' })).slice(0, 1) : []
    const last = indirect ? [{ name: 'ISTIO_DUAL_STACK', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] : []
    return [...first, ...entries, ...last]
  })

const proxy: fc.Arbitrary<StoredContainer> = fc
  .record({
    args: mostly<readonly string[] | undefined>(
      fc.constant(['proxy', 'sidecar', '--domain', 'x']),
      fc.constantFrom(undefined, ['proxy'], [], ['x', 'router'], ['proxy', 'sidecar']),
      fc.constantFrom(['proxy', 'router'], ['proxy', ''], ['proxy', 'waypoint']),
    ),
    env,
    securityContext: fc.option(fc.record({ runAsUser: id, runAsGroup: id }), { nil: undefined }),
  })
  .map(({ args, env, securityContext }) => ({
    name: 'istio-proxy',
    image: 'proxyv2',
    env,
    ...(args && { args }),
    ...(securityContext && {
      securityContext: {
        ...(securityContext.runAsUser !== undefined && { runAsUser: securityContext.runAsUser }),
        ...(securityContext.runAsGroup !== undefined && { runAsGroup: securityContext.runAsGroup }),
      },
    }),
  }))

const plain = (name: string): StoredContainer => ({ name, image: 'app' })
const containers = fc
  .record({
    proxy,
    place: mostly(fc.constantFrom('regular', 'native', 'regular'), fc.constantFrom('none', 'both')),
    istioInit: mostly(fc.constant('none'), fc.constantFrom('init', 'regular')),
    validation: fc.boolean(),
    second: proxy,
  })
  .map(({ proxy, place, istioInit, validation, second }) => ({
    initContainers: [
      ...(validation ? [plain('istio-validation')] : []),
      ...(istioInit === 'init' ? [plain('istio-init')] : []),
      ...(place === 'native' || place === 'both' ? [{ ...proxy, restartPolicy: 'Always' }] : []),
    ],
    containers: [
      plain('app'),
      ...(istioInit === 'regular' ? [plain('istio-init')] : []),
      ...(place === 'regular' ? [proxy] : place === 'both' ? [second] : []),
    ],
  }))

const pod: fc.Arbitrary<StoredPod> = fc
  .record({
    namespace: mostly(fc.constant('demo'), fc.constantFrom('kube-system', 'istio-system')),
    name: mostly(fc.constant('web'), fc.constant('istio-cni-node-x7')),
    annotations,
    status,
    more: mostly(fc.constant({}), fc.record({ 'sidecar.istio.io/inject': inject }), fc.constant({ other: 'é\n' })),
    labels: mostly(fc.constant({}), fc.record({ 'sidecar.istio.io/inject': inject }), fc.constant({ app: 'web' })),
    hostNetwork: mostly(fc.constant(false), fc.constant(true)),
    containers,
    podContext: mostly(fc.constant({}), fc.constant({ securityContext: { runAsUser: 7, runAsGroup: 7 } })),
  })
  .map(({ namespace, name, annotations, status, more, labels, hostNetwork, containers, podContext }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations: { ...annotations, ...status, ...more } },
    spec: { ...containers, ...podContext, ...(hostNetwork && { hostNetwork }) },
  }))

const v4 = fc.constantFrom('10.1.2.3/24', '172.20.0.9/16', '10.244.3.7/32')
const v6 = fc.constantFrom('fd00:10::5/64', '2001:db8::77/128')
const addresses = mostly<readonly string[]>(
  fc.oneof(fc.tuple(v4), fc.tuple(v6), fc.tuple(v4, v6)),
  fc.tuple(v6, v4),
  fc.constant([]),
  fc.constantFrom(['169.254.3.4/16'], ['fe80::7/64'], ['169.254.3.4/16', 'fd00::8/64'], ['10.9.9.9/24', 'fe80::7/64']),
)

/** Generator of random addresses: the addresses in the kernel, and the addresses that the previous plugins report. */
const known = fc.oneof<fc.WeightedArbitrary<Pick<PodCase, 'addresses' | 'told'>>[]>(
  { arbitrary: addresses.map((found) => ({ addresses: found, told: found })), weight: 6 },
  // Autoconfigured IPv6 addresses are in the kernel, but not in the result of the previous plugins.
  {
    arbitrary: addresses.map((found) => ({ addresses: found, told: found.filter((one) => !one.includes(':')) })),
    weight: 2,
  },
  { arbitrary: addresses.map((found) => ({ addresses: found, told: found.slice(0, 1) })), weight: 1 },
  { arbitrary: addresses.map((found) => ({ addresses: found, told: [...found, 'fd00:77::1/64'] })), weight: 1 },
)
const withoutIpv6 = fc.oneof<fc.WeightedArbitrary<readonly string[]>[]>(
  { arbitrary: fc.constant([]), weight: 6 },
  { arbitrary: fc.constant(['all']), weight: 1 },
  { arbitrary: fc.constantFrom(['lo'], ['eth0'], ['default']), weight: 1 },
)

/** Random pod, with the environment in which it starts. */
export const podCase: fc.Arbitrary<PodCase> = fc
  .record({
    pod,
    cniVersion: fc.constantFrom('0.3.1', '1.0.0', '1.1.0', '0.4.0', '0.3.0'),
    conf: optional({
      exclude_namespaces: mostly<unknown>(
        fc.constantFrom(null, [], ['kube-system'], ['kube-system', 'istio-system']),
        fc.constantFrom('kube-system', [7]),
      ),
      pod_namespace: fc.constantFrom('', 'istio-system'),
      plugin_log_level: fc.constantFrom('debug', 'info', 'error', '', 'loud'),
      ambient_enabled: mostly(fc.constant<unknown>(false), fc.constant('true')),
      unknown: fc.constantFrom(1),
    }),
    known,
    withoutIpv6,
    previous: mostly<PodCase['previous']>(fc.constant('result'), fc.constant('result with more'), fc.constant('none')),
    env: mostly(
      fc.constant({}),
      fc.record({ ISTIO_OUTBOUND_OWNER_GROUPS: groups }),
      fc.record({ ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE: groups }),
      fc.record({ ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR: loopback }),
    ),
    args: mostly(
      fc.constant('K8S_POD_INFRA_CONTAINER_ID=c0ffee;K8S_POD_UID=7'),
      fc.constantFrom('K8S_POD_UID=7;IgnoreUnknown=1;X=2', 'K8S_POD_NAME=', 'X=1', 'X=1=2', 'K8S_POD_UID=7;'),
    ),
    foreign: mostly<readonly string[]>(
      fc.constant([]),
      fc.constantFrom(
        ['iptables-legacy -t nat -A POSTROUTING -s 10.0.0.0/8 -j MASQUERADE', 'iptables-legacy -A INPUT -j ACCEPT'],
        ['iptables-nft -t nat -A OUTPUT -p tcp --dport 9 -j ACCEPT'],
        ['iptables-nft -t nat -N MINE', 'iptables-nft -t nat -A OUTPUT -j MINE'],
        ['ip rule add fwmark 5 lookup 100', 'ip route add local 0.0.0.0/0 dev lo table 133'],
      ),
    ),
    calls: mostly(fc.constant(1), fc.constant(2)),
  })
  .map(({ known, ...more }) => ({ ...more, ...known }))

/** Interface names that are also keywords of nft, or contain the wildcard of nft. */
export const WORDS_OF_NFT: readonly string[] = ['tcp', 'drop', 'counter', 'set', 'eth*', 'accept']

const named = mostly(
  fc.constant({}),
  fc.constantFrom(...WORDS_OF_NFT).map((name) => ({ 'traffic.sidecar.istio.io/excludeInterfaces': name })),
)

/** Generator of random pods for native nftables rules. */
export const nativeCase: fc.Arbitrary<PodCase> = fc.tuple(podCase, named).map(([one, more]) => {
  const { pod, conf } = one
  const { metadata } = pod
  return {
    ...one,
    conf: { ...conf, native_nftables: true },
    pod: { ...pod, metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } } },
  }
})

function optional<T>(all: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record({ ...all }, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>
}
