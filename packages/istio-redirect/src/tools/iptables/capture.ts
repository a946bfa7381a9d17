import type { CaptureConfig, DnsCapture, OwnerGroups } from '@cni/istio-rules'
import { checkRuleCount, loopbackCidr, type RuleLists } from '@cni/istio-rules'
import { messageOf, quote } from '@cni/types'
import { iptablesFlags } from './flags.ts'
import {
  decimal,
  interfaceList,
  onePort,
  ownerList,
  portList,
  portListOrAll,
  rangeList,
  rangeListOrAll,
} from './lists.ts'
import type { IptablesSettings } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** More groups than that are refused, as in Istio: each is a condition of one rule. */
const MAX_GROUPS = 64

type Environment = Readonly<Record<string, string | undefined>>

/** What does not depend on rules being written: checked in every case. Throws an `Error` that names the value. */
export function checkSettings(settings: IptablesSettings, env: Environment): void {
  ownerGroups(env)
  backendOf(settings)
  loopbackCidr(env)
}

/** The back end that is asked for. */
export function backendOf({
  forceIptablesBinary: forced,
  iptablesVersion,
}: IptablesSettings): 'legacy' | 'nft' | 'auto' {
  if (forced === 'legacy' || forced === 'nft') return forced
  if (forced !== '') throw new Error(`--force-iptables-binary is ${quote(forced)}, expected legacy or nft`)
  if (/legacy/.test(iptablesVersion)) return 'legacy'
  return /nf_tables|nft/.test(iptablesVersion) ? 'nft' : 'auto'
}

/** The configuration of the rules. Throws an `Error` that names the flag and the value. */
export function captureOf(settings: IptablesSettings, around: Surroundings, env: Environment): CaptureConfig {
  const read = <T>(key: keyof typeof iptablesFlags, text: string, parse: (text: string) => T): T => {
    try {
      return parse(text)
    } catch (cause) {
      const problem = messageOf(cause)
      throw new Error(`--${iptablesFlags[key].name} is ${quote(text)}: ${problem}`, { cause })
    }
  }
  // nft writes ranges with a dash.
  const plain = (text: string) => (settings.nativeNftables ? text.replaceAll('-', ':') : text)
  const of = <K extends TextKey, T>(key: K, parse: (text: string) => T): T => read(key, settings[key], parse)
  const config: CaptureConfig = {
    ipv6: around.ipv6,
    interceptionMode: settings.mode === 'TPROXY' ? 'TPROXY' : 'REDIRECT',
    proxyPort: of('proxyPort', onePort),
    inboundCapturePort: of('inboundCapturePort', onePort),
    inboundTunnelPort: of('inboundTunnelPort', onePort),
    proxyUIDs: read('proxyUID', around.proxyUID, ownerList),
    proxyGIDs: read('proxyGID', around.proxyGID, ownerList),
    tproxyMark: of('tproxyMark', decimal),
    tproxyRouteTable: of('tproxyRouteTable', decimal),
    includeInboundPorts: of('includeInboundPorts', (text) => portListOrAll(plain(text))),
    excludeInboundPorts: of('excludeInboundPorts', (text) => portList(plain(text))),
    includeOutboundPorts: of('includeOutboundPorts', (text) => portList(plain(text))),
    excludeOutboundPorts: of('excludeOutboundPorts', (text) => portList(plain(text))),
    includeOutboundIPRanges: of('includeOutboundIPRanges', rangeListOrAll),
    excludeOutboundIPRanges: of('excludeOutboundIPRanges', rangeList),
    excludeInterfaces: of('excludeInterfaces', interfaceList),
    rerouteVirtualInterfaces: of('rerouteVirtualInterfaces', interfaceList),
    ownerGroups: ownerGroups(env),
    dns: dnsOf(settings, around),
    dropInvalid: settings.dropInvalid,
    loopbackCidr: loopbackCidr(env),
  }
  checkRuleCount(config, (list, problem) => new Error(`${flagOf(list)}: ${problem}`))
  return config
}

/** What sets a list, for messages. */
function flagOf(list: keyof RuleLists): string {
  if (list === 'ownerGroups') return 'environment variable ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE'
  if (list === 'dns') return '/etc/resolv.conf'
  if (list === 'interceptionMode') return `--${iptablesFlags.mode.name}`
  if (list === 'proxyUIDs') return `--${iptablesFlags.proxyUID.name}`
  if (list === 'proxyGIDs') return `--${iptablesFlags.proxyGID.name}`
  return `--${iptablesFlags[list].name}`
}

type TextKey = { [K in keyof IptablesSettings]: IptablesSettings[K] extends string ? K : never }[keyof IptablesSettings]

function dnsOf({ redirectDns, captureAllDns }: IptablesSettings, { dnsServers }: Surroundings): DnsCapture {
  if (!redirectDns) return 'none'
  return captureAllDns ? 'all' : dnsServers
}

/** Whose outbound traffic is captured. Names are possible: iptables looks them up here. */
function ownerGroups(env: Environment): OwnerGroups<number | string> {
  const include = env.ISTIO_OUTBOUND_OWNER_GROUPS ?? '*'
  const key = include === '*' ? 'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE' : 'ISTIO_OUTBOUND_OWNER_GROUPS'
  const value = env[key] ?? ''
  try {
    const groups = ownerList(value)
    if (include === '*') return { mode: 'all-except', groups }
    if (groups.length <= MAX_GROUPS) return { mode: 'only', groups }
    throw new Error(`it lists ${groups.length} groups, more than ${MAX_GROUPS} cannot be matched`)
  } catch (cause) {
    const problem = messageOf(cause)
    throw new Error(`environment variable ${key} is ${quote(value)}: ${problem}`, { cause })
  }
}
