import { type Part, parts } from '../state.ts'
import type { Pair, Side } from './plugin-pair.ts'

/** Name of a result that the tests compare between Istio's plugin and ours. */
export type Field = 'outcome' | 'result' | Part

/** Converts one part of a plugin's result to text, for a comparison with the other plugin. */
export function shown(side: Side, field: Field): string {
  if (field === 'outcome') return side.exitCode === 0 ? 'success' : `exit ${side.exitCode}: ${errorClass(side.stdout)}`
  if (field === 'result') return side.exitCode === 0 ? sorted(JSON.parse(side.stdout)) : ''
  return side.state[field]
}

/** Lists the names of the results in which Istio's plugin and ours differ. */
export function differences({ theirs, ours }: Pair): Field[] {
  const fields: readonly Field[] = ['outcome', 'result', ...parts]
  return fields.filter((field) => shown(theirs, field) !== shown(ours, field))
}

/** Pod annotations by the names that Istio's plugin uses for them in error messages. */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  redirectMode: 'sidecar.istio.io/interceptionMode',
  includeIPCidrs: 'traffic.sidecar.istio.io/includeOutboundIPRanges',
  excludeIPCidrs: 'traffic.sidecar.istio.io/excludeOutboundIPRanges',
  excludeInboundPorts: 'traffic.sidecar.istio.io/excludeInboundPorts',
  includeInboundPorts: 'traffic.sidecar.istio.io/includeInboundPorts',
  excludeOutboundPorts: 'traffic.sidecar.istio.io/excludeOutboundPorts',
  includeOutboundPorts: 'traffic.sidecar.istio.io/includeOutboundPorts',
  excludeInterfaces: 'traffic.sidecar.istio.io/excludeInterfaces',
  'reroute-virtual-interfaces': 'istio.io/reroute-virtual-interfaces',
  kubevirtInterfaces: 'traffic.sidecar.istio.io/kubevirtInterfaces',
}

/** Maps an error to a class, because Istio's plugin and ours use different words. */
function errorClass(stdout: string): string {
  const { msg = '' } = JSON.parse(stdout || '{}')
  const annotation =
    ANNOTATIONS[/^annotation value error for value ([\w-]+);/.exec(msg)?.[1] ?? ''] ??
    /^annotation (\S+) of pod /.exec(msg)?.[1]
  if (annotation !== undefined) return `annotation ${annotation}`
  if (msg.includes('no valid local IP address found')) return 'no address'
  if (/^failed to configure routes|^the IPv6 traffic of the pod cannot be captured/.test(msg)) return 'address refused'
  if (/iptables|nftables|exit status/.test(msg)) return 'rules refused'
  if (/failed to parse network configuration|^network configuration|ambient_enabled|exclude_namespaces/.test(msg)) {
    return 'configuration'
  }
  if (/CNI_ARGS|invalid CNI_ARGS|ARGS:/i.test(msg)) return 'arguments'
  return msg
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
