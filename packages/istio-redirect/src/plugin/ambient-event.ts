import type { PodInfo } from '@cni/istio-rules'
import { podOverrides } from '@cni/istio-rules'
import type { AddContext } from '@cni/skel'
import { askDaemon } from '@cni/skel/daemon'
import { CniError, ErrorCode, goStringify, type IpConfig, printable } from '@cni/types'
import { formatAddress, parsePrefix, unmapAddress } from '@cni/types/ip'
import type { Conf } from '../conf/conf.ts'
import type { Settings } from '../conf/settings.ts'

const TIMEOUT_MS = 5000

/** Announces a new ambient pod to the node agent, and waits for its enrolment. */
export async function announcePod(c: AddContext<Conf>, { eventSocket }: Settings, pod: PodInfo): Promise<void> {
  const who = `ambient pod ${pod.namespace}/${pod.name}`
  if (eventSocket === undefined) {
    throw new CniError(ErrorCode.invalidNetworkConfig, `cni_agent_run_dir: expected a path, got ""`, {
      details: `the node agent, which enrols ${who}, listens there`,
    })
  }
  // Reports an invalid annotation as an error of the pod. The node agent would refuse the pod, too.
  podOverrides(pod)
  const body = podEvent({ netns: c.netns.path, pod, ips: c.prevResult?.ips })
  const { reason, code, refusal } = await askDaemon(eventSocket, {
    ...{ path: '/cmdadd', body, signal: c.signal },
    begunWithin: TIMEOUT_MS,
    within: TIMEOUT_MS,
  })
  if (reason === undefined) return
  const problem =
    refusal === undefined
      ? `failed to send event request: ${code === undefined ? '' : `${code}: `}${reason}`
      : `unable to push CNI event (status code ${refusal.status}): ${printable(refusal.body).trim()}`
  throw unreachable(who, eventSocket, problem)
}

/** Creates an error that permits a retry, because the agent may not know the pod yet. */
const unreachable = (who: string, socket: string, problem: string): CniError =>
  new CniError(ErrorCode.tryAgainLater, `${who} could not be handed to the node agent: ${problem}`, {
    details: `socket ${socket}`,
    hint: 'check that the node agent (install-cni) runs on this node, with ambient mode',
  })

/** Event that announces a new ambient pod to the node agent. */
export interface PodEvent {
  readonly netns: string
  readonly pod: Pick<PodInfo, 'namespace' | 'name'>
  readonly ips: readonly IpConfig[] | undefined
}

/**
 * Encodes the event for the node agent as JSON of Istio's Go structs.
 *
 * @example
 * podEvent({ netns: '/run/netns/a', pod: { name: 'p', namespace: 'n' }, ips: [{ address: '10.0.0.2/24' }] })
 */
export function podEvent({ netns, pod, ips }: PodEvent): string {
  return goStringify({
    Netns: netns,
    PodName: pod.name,
    PodNamespace: pod.namespace,
    IPs: ips === undefined || ips.length === 0 ? null : ips.map(ipEvent),
  })
}

const ipEvent = ({ interface: index, address, gateway }: IpConfig) => ({
  Interface: index ?? null,
  Address: network(address),
  Gateway: gateway ?? '',
})

/** Encodes an IPv4-mapped IPv6 address as IPv4 with a mask of 16 bytes, as Go does. */
function network(cidr: string): { IP: string; Mask: string | null } {
  const prefix = parsePrefix(cidr)
  if (prefix === undefined) return { IP: cidr.split('/')[0] ?? '', Mask: null }
  const { bytes, length } = prefix
  const mask = Uint8Array.from(bytes, (_, at) => 0xff & ~(0xff >> Math.min(8, Math.max(0, length - 8 * at))))
  return { IP: formatAddress(unmapAddress(bytes)), Mask: Buffer.from(mask).toString('base64') }
}
