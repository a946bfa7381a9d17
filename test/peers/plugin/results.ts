import type { RunResult } from '@cni/host'
import { goStringify } from '@cni/types'
import type { Side } from '../differences.ts'
import type { State } from '../state.ts'

/** Converts the results of a plugin's call to texts, for a comparison with the other plugin. */
export const resultsOf = ({ exitCode, stdout }: RunResult, state: State): Side['results'] =>
  exitCode === 0
    ? { outcome: 'success', output: goStringify(JSON.parse(stdout), { sortKeys: true }), ...state }
    : { outcome: `exit ${exitCode}: ${errorClass(stdout)}`, output: '', ...state }

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
