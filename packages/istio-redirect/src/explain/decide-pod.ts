import {
  type CaptureConfig,
  captureConfig,
  type DecisionSettings,
  decideWithoutApi,
  familiesOf,
  maybeAmbient,
  podInfo,
  redirectFor,
  skipReason,
  usableAddresses,
} from '@cni/istio-rules'
import { parsePod } from '@cni/kube'
import type { PodDocument } from './pods-in-text.ts'

/** Decision of the plugin about a pod: the rules, or the reason for no redirection. */
export type PodDecision =
  | { readonly act: 'skip'; readonly reason: string; readonly addresses: readonly string[] }
  | { readonly act: 'redirect'; readonly config: CaptureConfig; readonly addresses: readonly string[] }

/**
 * Decides about a pod as the plugin does in ADD. Throws an `Error` for an invalid pod.
 *
 * @param options - `settings`: plugin settings that decide about a pod. `env`: environment variables of the node, by
 * default none. `log`: receives the plugin's log lines. `addresses`: addresses in the pod's namespace, by default
 * `status.podIPs`.
 */
export function decidePod(
  pod: PodDocument,
  options: {
    readonly settings: DecisionSettings
    readonly env?: Readonly<Record<string, string | undefined>>
    readonly log?: (level: 'info' | 'warn', message: string) => void
    readonly addresses?: readonly string[] | undefined
  },
): PodDecision {
  const { settings, env = {}, log = () => undefined } = options
  const addresses = options.addresses ?? podIPs(pod.document)
  const skip = (reason: string): PodDecision => ({ act: 'skip', reason, addresses })
  const first = decideWithoutApi({ pod, podAnnotations: undefined, settings })
  if (first.act === 'skip') return skip(first.reason)
  const info = podInfo(parse(pod))
  const ambient = maybeAmbient(info, settings)
  const second = skipReason(info)
  if (second !== undefined) {
    return skip(
      `${second.reason}${ambient ? '; the selectors of ambient mode may choose it, which its namespace decides' : ''}`,
    )
  }
  const redirect = redirectFor(info, { log, env })
  // Without known addresses, assumes one of each family. IPv6 is captured only for a dual-stack pod.
  const families = familiesOf(
    usableAddresses(addresses.length > 0 ? addresses : ['192.0.2.1', '2001:db8::1']),
    redirect.dualStack,
  )
  if (families.hostIP === undefined) throw new Error(`no valid local IP address found: ${addresses.join(', ')}`)
  if (families.ipv6Ignored && addresses.length > 0) {
    log(
      'warn',
      'the IPv6 traffic of this dual-stack pod is not captured: that takes ISTIO_DUAL_STACK=true in istio-proxy',
    )
  }
  return { act: 'redirect', config: captureConfig(redirect, { ipv6: families.ipv6 }), addresses }
}

function parse({ name, namespace, document }: PodDocument) {
  const { metadata } = document
  const named = { ...(typeof metadata === 'object' ? metadata : {}), name, namespace }
  try {
    return parsePod({ ...document, metadata: named }, { name, namespace })
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.replace("the API server's answer is not a pod: ", '') : ''
    throw new Error(problem, { cause })
  }
}

function podIPs({ status }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof status !== 'object' || status === null || !('podIPs' in status) || !Array.isArray(status.podIPs)) return []
  return status.podIPs.flatMap((each: unknown) =>
    typeof each === 'object' && each !== null && 'ip' in each && typeof each.ip === 'string' ? [each.ip] : [],
  )
}
