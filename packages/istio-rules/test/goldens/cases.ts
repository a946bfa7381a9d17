import { type CaptureConfig, captureConfig, captureDefaults } from '../../src/capture/config.ts'
import { redirectFor } from '../../src/capture/redirect.ts'
import type { Pod } from '../../src/pod/pod.ts'
import { podInfo } from '../../src/pod/pod-info.ts'

type PodContainer = NonNullable<Pod['spec']['containers']>[number]

/** Fingerprint of a text that Istio wrote: line count, and start of the SHA-256. */
export type Fingerprint = readonly [lines: number, sha256: string]

/** Capture configuration, and the fingerprints of the iptables-restore text that Istio writes for it. */
export interface Golden {
  readonly name: string
  readonly config: CaptureConfig
  readonly ipv4: Fingerprint
  readonly ipv6?: Fingerprint
}

/** Capture configurations from Istio's own tests. */
const captures: readonly Golden[] = [
  golden('ipv6-empty-inbound-ports', { ipv6: true }, [18, 'bad57cb85bed4a61'], [18, 'd0f6e66f22b9fa7b']),
  golden(
    'ipv6-inbound-ports',
    { ipv6: true, includeInboundPorts: [4000, 5000] },
    [21, 'ed844c7bb67b4617'],
    [21, 'e582d1e8026e1d14'],
  ),
  golden(
    'ipv6-ipnets',
    {
      ipv6: true,
      includeInboundPorts: [4000, 5000],
      excludeInboundPorts: [6000, 7000],
      rerouteVirtualInterfaces: ['eth0', 'eth1'],
      includeOutboundIPRanges: { ipv4: [], ipv6: ['2001:db8::/32'] },
      excludeOutboundIPRanges: { ipv4: [], ipv6: ['2001:db8::/32'] },
    },
    [23, '033dbe74417bb007'],
    [27, '7b2e3fff7b2b1f1f'],
  ),
  golden(
    'ipv6-outbound-ports',
    { ipv6: true, includeOutboundPorts: [32000, 31000] },
    [20, '343cbca265245836'],
    [20, '06222d08af6f542f'],
  ),
  golden('empty', {}, [18, 'bad57cb85bed4a61']),
  golden('kube-virt-interfaces', { rerouteVirtualInterfaces: ['eth1', 'eth2'], includeOutboundIPRanges: '*' }, [
    23,
    '2499c4333b5c4c79',
  ]),
  golden('ipnets', { includeOutboundIPRanges: { ipv4: ['10.0.0.0/8'], ipv6: [] } }, [19, 'fe05e66e74054092']),
  golden('inbound-ports-include', { includeInboundPorts: [32000, 31000] }, [21, '913053a92b8f1c06']),
  golden('inbound-ports-wildcard', { includeInboundPorts: '*' }, [20, '68d900b6fca325fd']),
  golden('inbound-ports-tproxy', { interceptionMode: 'TPROXY', includeInboundPorts: [32000, 31000] }, [
    39,
    '9fcaae4aae7634af',
  ]),
  golden('inbound-ports-empty-tproxy', { interceptionMode: 'TPROXY' }, [29, 'b176802206b1f3ce']),
  golden(
    'dns-uid-gid',
    {
      ipv6: true,
      dns: { ipv4: ['127.0.0.53'], ipv6: ['::127.0.0.53'] },
      proxyUIDs: [3, 4],
      proxyGIDs: [1, 2],
    },
    [44, '5f56b4cc92a9cebf'],
    [44, 'd010cf233daf9bed'],
  ),
  golden(
    'ipv6-dns-uid-gid',
    { ipv6: true, dns: { ipv4: [], ipv6: [] }, proxyUIDs: [3, 4], proxyGIDs: [1, 2] },
    [24, '1b1d0e3a36951365'],
    [24, '9809629da5ae4de8'],
  ),
  golden('outbound-owner-groups', { ownerGroups: { mode: 'only', groups: ['java', 202] } }, [19, '7c0f978ef010bf65']),
  golden(
    'ipv6-dns-outbound-owner-groups',
    { ipv6: true, dns: { ipv4: [], ipv6: [] }, ownerGroups: { mode: 'only', groups: ['java', 202] } },
    [19, '7c0f978ef010bf65'],
    [19, '850f7712fc8d0a46'],
  ),
  golden('outbound-ports-include', { includeOutboundPorts: [32000, 31000] }, [20, '343cbca265245836']),
  golden('basic-exclude-nic', { excludeInterfaces: ['not-istio-nic'] }, [20, '524f7415cca8342c']),
  golden('drop-invalid', { dropInvalid: true }, [23, 'f9d0e3df7b39036c']),
  golden(
    'everything',
    {
      ipv6: true,
      interceptionMode: 'TPROXY',
      includeInboundPorts: [8080],
      includeOutboundIPRanges: { ipv4: ['10.96.0.0/12'], ipv6: ['fd00:10:96::/112'] },
      excludeOutboundIPRanges: { ipv4: ['10.96.0.10/32'], ipv6: [] },
      excludeOutboundPorts: [15020],
      includeOutboundPorts: [9443],
      rerouteVirtualInterfaces: ['net1'],
      excludeInterfaces: ['eth9'],
      proxyUIDs: [2000],
      proxyGIDs: [3000],
      dns: { ipv4: ['10.96.0.10'], ipv6: [] },
      dropInvalid: true,
      ownerGroups: { mode: 'all-except', groups: [500] },
    },
    [68, '94ceb7a1731af694'],
    [59, 'c797591f52b3335b'],
  ),
]

/** Pods from the tests of Istio's plugin: annotations and proxy as input, rules as output. */
const pods: readonly Golden[] = [
  podGolden('pod-basic', {}, {}, [26, '28a2d3dcd491a79d']),
  podGolden(
    'pod-include-exclude-ports',
    {
      'traffic.sidecar.istio.io/includeInboundPorts': '1111,2222',
      'traffic.sidecar.istio.io/excludeInboundPorts': '3333,4444',
      'traffic.sidecar.istio.io/excludeOutboundPorts': '5555,6666',
    },
    {},
    [26, 'b7ff71b9f26c00a6'],
  ),
  podGolden('pod-tproxy', { 'sidecar.istio.io/interceptionMode': 'TPROXY' }, {}, [43, 'e06d5f28bb0c5bc1']),
  podGolden('pod-invalid-drop', {}, { env: [{ name: 'INVALID_DROP', value: 'true' }] }, [31, '2f059ba92c01c515']),
  podGolden('pod-custom-uid', {}, { securityContext: { runAsUser: 1000670000, runAsGroup: 1000670001 } }, [
    26,
    'cfeec5ca47566692',
  ]),
  podGolden('pod-custom-uid-zero', {}, { securityContext: { runAsUser: 0 } }, [26, '28a2d3dcd491a79d']),
]

/** All capture configurations for which the text of Istio's rules is known. */
export const goldens: readonly Golden[] = [...captures, ...pods]

function golden(name: string, delta: Partial<CaptureConfig>, ipv4: Fingerprint, ipv6?: Fingerprint): Golden {
  return { name, config: { ...captureDefaults, ...delta }, ipv4, ...(ipv6 && { ipv6 }) }
}

function podGolden(
  name: string,
  annotations: Readonly<Record<string, string>>,
  proxy: Omit<PodContainer, 'name'>,
  ipv4: Fingerprint,
): Golden {
  const pod = podInfo({
    metadata: { namespace: 'default', name, annotations: { 'sidecar.istio.io/status': 'true', ...annotations } },
    spec: {
      containers: [
        { name: 'test' },
        { name: 'istio-proxy', securityContext: {}, ...proxy },
        { name: 'istio-validate' },
      ],
    },
  })
  return { name, config: captureConfig(redirectFor(pod), { ipv6: false }), ipv4 }
}
