import type { CaptureConfig, IpRanges, PodCapture } from '@cni/istio-rules'

/** A redirection setting that causes rules, with its description on the page. Example: the included inbound ports. */
export interface Field {
  /** Name of the redirection setting, as the page shows it. */
  readonly name: string
  /** Annotation, variable or pod member with the setting's value. Absent for a constant. */
  readonly from?: string
  readonly kind: 'annotation' | 'variable' | 'node' | 'securityContext' | 'namespace' | 'constant'
  /** One sentence on the page that explains the rules that the setting causes. */
  readonly about: string
}

type Fields<Config> = {
  readonly [Key in keyof Config]?: Field & {
    /** Returns another value of the setting. The page computes the rules again with this value. */
    readonly other: (config: Config) => Config[Key]
    /** Shortens the setting's list: returns the first entries of its value in `config`. */
    readonly few?: (config: Config) => Config[Key]
  }
}

const annotation = (key: string) => ({ kind: 'annotation', from: `traffic.sidecar.istio.io/${key}` }) as const
const variable = (from: string) => ({ kind: 'variable', from }) as const
const nothing = { ipv4: [], ipv6: [] } as const

/** Map from a sidecar's settings to their descriptions. `other` changes a setting to find the rules of the setting. */
export const sidecarFields: Fields<CaptureConfig> = {
  includeInboundPorts: {
    few: ({ includeInboundPorts: value }) => fewOrAll(value),
    ...{ name: 'Included inbound ports', ...annotation('includeInboundPorts'), other: () => [] },
    about: 'Connections to these ports go to the proxy before the application sees them.',
  },
  excludeInboundPorts: {
    few: ({ excludeInboundPorts: value }) => few(value),
    ...{ name: 'Excluded inbound ports', ...annotation('excludeInboundPorts'), other: () => [] },
    about: 'Connections to these ports reach the pod without the proxy; 15020, 15021 and 15090 are always among them.',
  },
  includeOutboundIPRanges: {
    few: ({ includeOutboundIPRanges: value }) => (value === '*' ? value : fewRanges(value)),
    ...{ name: 'Included outbound ranges', ...annotation('includeOutboundIPRanges'), other: () => nothing },
    about: 'What the application sends to these addresses goes to the proxy.',
  },
  excludeOutboundIPRanges: {
    few: ({ excludeOutboundIPRanges: value }) => fewRanges(value),
    ...{ name: 'Excluded outbound ranges', ...annotation('excludeOutboundIPRanges'), other: () => nothing },
    about: 'What is sent to these addresses leaves the pod without the proxy.',
  },
  includeOutboundPorts: {
    few: ({ includeOutboundPorts: value }) => few(value),
    ...{ name: 'Included outbound ports', ...annotation('includeOutboundPorts'), other: () => [] },
    about: 'What the application sends to these ports goes to the proxy, whatever the address.',
  },
  excludeOutboundPorts: {
    few: ({ excludeOutboundPorts: value }) => few(value),
    ...{ name: 'Excluded outbound ports', ...annotation('excludeOutboundPorts'), other: () => [] },
    about: 'What is sent to these ports leaves the pod without the proxy.',
  },
  interceptionMode: {
    ...{ name: 'Interception mode', kind: 'annotation', from: 'sidecar.istio.io/interceptionMode' },
    other: ({ interceptionMode }) => (interceptionMode === 'TPROXY' ? 'REDIRECT' : 'TPROXY'),
    about:
      'REDIRECT rewrites the destination of inbound connections; TPROXY hands them over with their addresses intact.',
  },
  dns: {
    ...{ name: 'DNS capture', ...variable('ISTIO_META_DNS_CAPTURE'), other: () => 'none' },
    about: 'Queries of the application go to the agent on port 15053; zones keep the queries of the agent apart.',
  },
  dropInvalid: {
    ...{ name: 'Drop invalid packets', ...variable('INVALID_DROP'), other: () => false },
    about: 'Packets that belong to no known connection are dropped.',
  },
  ownerGroups: {
    few: ({ ownerGroups: value }) => ({ ...value, groups: few(value.groups) }),
    ...{
      name: 'Owner groups',
      ...variable('ISTIO_OUTBOUND_OWNER_GROUPS'),
      other: () => ({ mode: 'all-except', groups: [] }),
    },
    about: 'The group of the sending process decides whether its traffic is captured.',
  },
  excludeInterfaces: {
    few: ({ excludeInterfaces: value }) => few(value),
    ...{ name: 'Excluded interfaces', ...annotation('excludeInterfaces'), other: () => [] },
    about: 'Traffic through these interfaces is left alone.',
  },
  rerouteVirtualInterfaces: {
    few: ({ rerouteVirtualInterfaces: value }) => few(value),
    ...{ name: 'Virtual interfaces', kind: 'annotation', from: 'istio.io/reroute-virtual-interfaces', other: () => [] },
    about: 'What comes from the virtual machines behind these interfaces counts as outbound.',
  },
  proxyUIDs: {
    ...{ name: 'User of the proxy', kind: 'securityContext', from: 'istio-proxy, runAsUser', other: () => [4_242_424] },
    about: 'What this user sends is the proxy’s own traffic and is not sent to the proxy again.',
  },
  proxyGIDs: {
    ...{
      name: 'Group of the proxy',
      kind: 'securityContext',
      from: 'istio-proxy, runAsGroup',
      other: () => [4_242_424],
    },
    about: 'What this group sends is the proxy’s own traffic and is not sent to the proxy again.',
  },
  ipv6: {
    ...{ name: 'IPv6', kind: 'namespace', from: 'addresses of the pod, ISTIO_DUAL_STACK', other: () => false },
    about: 'IPv6 rules are written when the pod has no IPv4 address, or both and ISTIO_DUAL_STACK.',
  },
  proxyPort: {
    ...{ name: 'Outbound port of the proxy', kind: 'constant', other: () => 4242 },
    about: 'The proxy listens here for what the application sends.',
  },
  inboundCapturePort: {
    ...{ name: 'Inbound port of the proxy', kind: 'constant', other: () => 4242 },
    about: 'The proxy listens here for what comes to the pod.',
  },
  inboundTunnelPort: {
    ...{ name: 'Tunnel port of the proxy', kind: 'constant', other: () => 4242 },
    about: 'Other proxies reach this port (HBONE) directly.',
  },
  loopbackCidr: {
    ...{
      name: 'Loopback range',
      kind: 'node',
      from: 'ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR',
      other: () => '127.0.0.77/32',
    },
    about: 'What stays on loopback does not go to the proxy.',
  },
  tproxyMark: {
    ...{ name: 'Mark of TPROXY', kind: 'constant', other: () => 4242 },
    about: 'Marked packets are delivered to the proxy by a routing rule.',
  },
}

/** Map from the settings of a pod in an ambient mesh to their descriptions. */
export const ambientFields: Fields<PodCapture> = {
  dnsCapture: {
    ...{ name: 'DNS capture', kind: 'annotation', from: 'ambient.istio.io/dns-capture', other: () => false },
    about: 'Queries of the application go to ztunnel on port 15053.',
  },
  bypassInbound: {
    ...{ name: 'Inbound', kind: 'annotation', from: 'ambient.istio.io/bypass-inbound-capture' },
    other: ({ bypassInbound }) => !bypassInbound,
    about: 'Connections in plain text that come to the pod go to ztunnel, unless they are the kubelet’s.',
  },
  virtualInterfaces: {
    few: ({ virtualInterfaces: value }) => few(value),
    ...{ name: 'Virtual interfaces', kind: 'annotation', from: 'istio.io/reroute-virtual-interfaces', other: () => [] },
    about: 'What comes from the virtual machines behind these interfaces counts as outbound.',
  },
  probeSource: {
    ...{ name: 'Source of probes', kind: 'constant', other: () => ({ ipv4: '192.0.2.254', ipv6: '2001:db8::fffe' }) },
    about: 'Probes of the kubelet come from this address and pass ztunnel by.',
  },
  ipv6: {
    ...{ name: 'IPv6', kind: 'namespace', from: 'addresses of the pod', other: () => false },
    about: 'Rules of IPv6 are written when the pod has an IPv6 address.',
  },
}

/** A redirection setting of the user's pod. `isSet`: the pod itself sets the value. */
export interface Setting extends Field {
  readonly id: string
  readonly value: string
  readonly isSet: boolean
}

/** A pod's configuration with one changed setting, which shows the setting's rules. */
export interface Variant<Config> {
  readonly id: string
  readonly field: Field
  readonly value: string
  readonly config: Config
}

/**
 * Variants of a pod's configuration, which show the setting that causes each rule.
 * - `sample`: all lists are shortened.
 * - `whole`: one list has its full length.
 * - `changed`: one setting has another value.
 */
export interface Variants<Config> {
  readonly sample: Config
  readonly whole: readonly Pick<Variant<Config>, 'id' | 'config'>[]
  readonly changed: readonly Variant<Config>[]
}

/** Number of entries in the shortened list of a setting. Rules for further entries have the same form. */
const SAMPLE = 40

/** Creates the variants of a configuration, which show the setting that causes each rule. */
export function variants<Config extends object>(config: Config, fields: Fields<Config>): Variants<Config> {
  const ids = keysOf(fields)
  const sample = { ...config }
  for (const id of ids) sample[id] = fields[id]?.few?.(config) ?? config[id]
  const cut = ids.filter((id) => JSON.stringify(sample[id]) !== JSON.stringify(config[id]))
  return {
    sample,
    whole: cut.map((id) => ({ id: String(id), config: { ...sample, [id]: config[id] } })),
    changed: ids.flatMap((id) => {
      const field = fields[id]
      const other = field?.other(config)
      if (field === undefined || JSON.stringify(other) === JSON.stringify(config[id])) return []
      return [{ id: String(id), field, value: valueText(config[id]), config: { ...sample, [id]: other } }]
    }),
  }
}

// internal

function keysOf<T extends object>(value: T): (keyof T)[] {
  // The cast is safe, because the object has only the members of its type. Object.keys returns `string[]`.
  return Object.keys(value) as (keyof T)[]
}

const few = <T>(list: readonly T[]): readonly T[] => list.slice(0, SAMPLE)
const fewOrAll = <T>(list: '*' | readonly T[]): '*' | readonly T[] => (list === '*' ? list : few(list))
const fewRanges = ({ ipv4, ipv6 }: IpRanges): IpRanges => ({ ipv4: few(ipv4), ipv6: few(ipv6) })

/** Formats the value of a setting in the form that an annotation has. */
function valueText(value: unknown): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : shortened(value.join(','))
  if (typeof value !== 'object' || value === null) return String(value)
  if ('mode' in value && 'groups' in value && Array.isArray(value.groups)) {
    const groups = value.groups.join(',')
    return value.mode === 'only' ? `only ${groups || 'nobody'}` : `all${groups === '' ? '' : ` except ${groups}`}`
  }
  return valueText(Object.values(value).flat())
}

const shortened = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)
