import { type NetnsTarget, readFile } from '@cni/netns'
import { CniError, ErrorCode } from '@cni/types'
import { formatAddress } from '@cni/types/ip'
import { PASSTHROUGH } from '../redirect/addresses.ts'
import { familiesOf, type UsableAddresses, usableAddresses } from '../redirect/families.ts'
import { addressesOf } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'
import type { FoundRedirect } from './redirect-of-pod.ts'

/** A pod, and what is known of its addresses before the kernel is asked. */
export interface CapturedPod extends FoundRedirect {
  /** The addresses that the pod has, as far as somebody told. */
  readonly addresses: readonly string[]
  /** The interface that has them; unknown to who was told none. */
  readonly ifName?: string
}

/**
 * Whether IPv6 is captured: when the previous plugins or the namespace know such an address of the pod, and nobody has
 * switched IPv6 off there. Addresses by autoconfiguration are in no result; and a result may name one that a later step
 * took away.
 */
export async function capturesIpv6(c: RedirectContext, captured: CapturedPod): Promise<boolean> {
  const { pod, redirect, addresses } = captured
  const label = `${pod.namespace}/${pod.name}`
  const told = usableAddresses(addresses)
  const found = usableAddresses(await addressesIn(c.netns, told))
  const lost = told.ipv6.length > 0 && found.ipv6.length === 0 && (await isSwitchedOff(c.netns, captured))
  if (lost) {
    c.log.info('IPv6 is switched off in the pod: it is not captured', { pod: label, without: told.ipv6.join(', ') })
  }
  const ipv6 = lost ? [] : [...told.ipv6, ...found.ipv6]
  const families = familiesOf({ ipv4: [...told.ipv4, ...found.ipv4], ipv6 }, redirect.dualStack)
  if (families.hostIP === undefined) {
    const sources = [...(addresses.length > 0 ? [`prevResult.ips: ${addresses.join(', ')}`] : []), `in ${c.netns.path}`]
    throw new CniError(ErrorCode.invalidNetworkConfig, 'no valid local IP address found', {
      details: `${sources.join('; ')}${lost ? ', where IPv6 is switched off' : ''}`,
      hint: 'istio-cni has to come after the plugin that gives the pod its address',
    })
  }
  if (families.ipv6Ignored) {
    const hint = 'set ISTIO_DUAL_STACK=true in the environment of istio-proxy to capture it'
    c.log.warn(`the IPv6 traffic of this dual-stack pod is not captured: ${hint}`, { pod: label })
  }
  return families.ipv6
}

/**
 * What the kernel knows besides: of IPv6 from a file, which takes 0.2 ms, and only for a pod of which nobody told an
 * IPv4 address over a socket, which takes 1 ms.
 */
async function addressesIn(netns: NetnsTarget, told: UsableAddresses): Promise<string[]> {
  const addresses = told.ipv4.length > 0 ? await ipv6AddressesOf(netns) : await addressesOf(netns)
  // An earlier ADD put it there.
  return addresses.filter((address) => address !== PASSTHROUGH.ipv6)
}

/** Those that no other host can reach are left out here: taking an address apart for the first time takes 0.3 ms. */
async function ipv6AddressesOf(netns: NetnsTarget): Promise<string[]> {
  const text = await readFile(netns, '/proc/thread-self/net/if_inet6')
  const addresses: string[] = []
  for (const line of text?.split('\n') ?? []) {
    const fields = line.split(' ')
    const digits = fields[0]
    const bits = fields[2]
    const scope = fields[3]
    if (digits === undefined || bits === undefined || scope === hostScope || scope === linkScope) continue
    addresses.push(`${formatAddress(Buffer.from(digits, 'hex'))}/${Number.parseInt(bits, 16)}`)
  }
  return addresses
}

/** As in the file, of `::1` and of `fe80::/10`. */
const hostScope = '10'
const linkScope = '20'

/** Whether the interface of the pod, or `lo`, on which the proxy needs an address, can have no IPv6 address. */
async function isSwitchedOff(netns: NetnsTarget, { ifName }: CapturedPod): Promise<boolean> {
  // Without the file the kernel has no IPv6 at all. That of `all` says nothing: plugins switch single interfaces on.
  if ((await disabledOn(netns, 'lo')) !== '0') return true
  return ifName !== undefined && (await disabledOn(netns, ifName)) === '1'
}

const disabledOn = async (netns: NetnsTarget, link: string): Promise<string | undefined> =>
  (await readFile(netns, `/proc/sys/net/ipv6/conf/${link}/disable_ipv6`))?.trim()
