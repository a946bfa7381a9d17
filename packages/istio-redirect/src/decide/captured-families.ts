import { type CaptureConfig, captureConfig, familiesOf, podRef, usableAddresses } from '@cni/istio-rules'
import { CniError, ErrorCode } from '@cni/types'
import type { DecisionLog } from './log.ts'
import type { FoundRedirect } from './redirection.ts'

/** What is known of the addresses of a pod, and from whom. */
export interface KnownAddresses {
  /** The namespace's path: for messages. */
  readonly place: string
  /** The addresses that the plugins before have given the pod, with or without `/bits`. */
  readonly told: readonly string[]
  /** The addresses that the kernel has. IPv4 may be left out where some was told. */
  readonly found: readonly string[]
  /** True if `disable_ipv6` keeps the pod from IPv6; only read if {@link mayHaveLostIpv6}. */
  readonly ipv6Off: boolean
}

type UsableAddresses = ReturnType<typeof usableAddresses>

/** Where Envoy binds what it passes on unchanged; unlike 127.0.0.6, it is not on `lo` by itself. */
export const PASS_THROUGH = '::6/128'

/** The usable addresses of those that the kernel has. */
export const foundAddresses = (addresses: readonly string[]): UsableAddresses =>
  // An earlier ADD put that one there.
  usableAddresses(addresses.filter((address) => address !== PASS_THROUGH))

/** True if a switch decides: IPv6 addresses were told of, and the kernel has none. */
export const mayHaveLostIpv6 = (told: UsableAddresses, found: UsableAddresses): boolean =>
  told.ipv6.length > 0 && found.ipv6.length === 0

/** What is captured of a pod, as far as its addresses are known. Throws `CniError` where it has none. */
export const captureOfPod = (
  found: FoundRedirect,
  known: KnownAddresses,
  log: Pick<DecisionLog, 'info' | 'warn'>,
): CaptureConfig => captureConfig(found.redirect, { ipv6: capturesIpv6(found, known, log) })

// internal

/**
 * Whether IPv6 is captured: when the previous plugins or the namespace know such an address of the pod, and nobody has
 * switched IPv6 off there. Addresses by autoconfiguration are in no result; and a result may name one that a later step
 * took away.
 */
function capturesIpv6(
  { pod, redirect }: FoundRedirect,
  known: KnownAddresses,
  log: Pick<DecisionLog, 'info' | 'warn'>,
): boolean {
  const told = usableAddresses(known.told)
  const found = foundAddresses(known.found)
  const lost = known.ipv6Off && mayHaveLostIpv6(told, found)
  if (lost) {
    const fields = { pod: podRef(pod), without: told.ipv6.join(', ') }
    log.info('IPv6 is switched off in the pod: it is not captured', fields)
  }
  const ipv6 = lost ? [] : [...told.ipv6, ...found.ipv6]
  const families = familiesOf({ ipv4: [...told.ipv4, ...found.ipv4], ipv6 }, redirect.dualStack)
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
