import { type CaptureConfig, captureConfig, familiesOf, podRef, usableAddresses } from '@cni/istio-rules'
import { CniError, ErrorCode } from '@cni/types'
import type { DecisionLog } from './log.ts'
import type { FoundRedirect } from './redirection.ts'

/** Addresses of a pod from `prevResult` and from the kernel. */
export interface KnownAddresses {
  /** Path of the pod's network namespace, for error messages. */
  readonly place: string
  /** Pod's addresses that earlier plugins of the chain report in `prevResult`, with or without `/bits`. */
  readonly told: readonly string[]
  /** Pod's addresses that the kernel lists. If `prevResult` has an IPv4 address, only IPv6 addresses are read. */
  readonly found: readonly string[]
  /** True if the sysctl `disable_ipv6` turns IPv6 off in the pod. */
  readonly ipv6Off: boolean
}

type UsableAddresses = ReturnType<typeof usableAddresses>

/** Source address of IPv6 traffic that Envoy passes on unchanged. The plugin adds the address to `lo`. */
export const PASS_THROUGH = '::6/128'

/** Parses the kernel's addresses of a pod, without the address that the plugin itself adds. */
export const foundAddresses = (addresses: readonly string[]): UsableAddresses =>
  // Skips the address `::6`, because an earlier ADD of the plugin added it to `lo`.
  usableAddresses(addresses.filter((address) => address !== PASS_THROUGH))

/** True if `prevResult` has IPv6 addresses but the kernel lists no IPv6 address. */
export const mayHaveLostIpv6 = (reported: UsableAddresses, found: UsableAddresses): boolean =>
  reported.ipv6.length > 0 && found.ipv6.length === 0

/** Builds the capture configuration of a pod from its known addresses. Throws `CniError` if the pod has no address. */
export const captureOfPod = (
  found: FoundRedirect,
  known: KnownAddresses,
  log: Pick<DecisionLog, 'info' | 'warn'>,
): CaptureConfig => captureConfig(found.redirect, { ipv6: capturesIpv6(found, known, log) })

// internal

/** True if the rules capture IPv6. `prevResult` and the kernel's list may each be incomplete. */
function capturesIpv6(
  { pod, redirect }: FoundRedirect,
  known: KnownAddresses,
  log: Pick<DecisionLog, 'info' | 'warn'>,
): boolean {
  const reported = usableAddresses(known.told)
  const found = foundAddresses(known.found)
  const lost = known.ipv6Off && mayHaveLostIpv6(reported, found)
  if (lost) {
    const fields = { pod: podRef(pod), without: reported.ipv6.join(', ') }
    log.info('IPv6 is switched off in the pod: it is not captured', fields)
  }
  const ipv6 = lost ? [] : [...reported.ipv6, ...found.ipv6]
  const families = familiesOf({ ipv4: [...reported.ipv4, ...found.ipv4], ipv6 }, redirect.dualStack)
  if (families.hostIP === undefined) {
    const sources = [
      ...(known.told.length > 0 ? [`prevResult.ips: ${known.told.join(', ')}`] : []),
      `in ${known.place}`,
    ]
    throw new CniError(ErrorCode.invalidNetworkConfig, 'no valid local IP address found', {
      details: `${sources.join('; ')}${lost ? ', where IPv6 is switched off' : ''}`,
      hint: 'istio-cni has to come after the plugin that gives the pod its address',
    })
  }
  if (families.ipv6Ignored) {
    const hint = 'set ISTIO_DUAL_STACK=true in the environment of istio-proxy to capture it'
    log.warn(`the IPv6 traffic of this dual-stack pod is not captured: ${hint}`, { pod: podRef(pod) })
  }
  return families.ipv6
}
