import { messageOf, quote } from '@cni/types'
import type { CaptureConfig } from '../capture/config.ts'
import { checkRuleCount, type RuleLists } from '../capture/rule-count.ts'
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

/** Capture settings as text, as in command-line flags and variables. Items of a list are separated by commas. */
export interface CaptureTexts {
  /** Interception mode: `TPROXY`. Any other value means `REDIRECT`. */
  readonly mode: string
  readonly proxyPort: string
  readonly inboundCapturePort: string
  readonly inboundTunnelPort: string
  readonly proxyUID: string
  readonly proxyGID: string
  readonly tproxyMark: string
  readonly tproxyRouteTable: string
  /** Captured inbound ports: `*`, or ports and ranges such as `80,8000:8010`. */
  readonly includeInboundPorts: string
  readonly excludeInboundPorts: string
  readonly includeOutboundPorts: string
  readonly excludeOutboundPorts: string
  /** Captured destinations of outbound traffic: `*`, or ranges such as `10.0.0.0/8,fd00::/8`. */
  readonly includeOutboundIPRanges: string
  readonly excludeOutboundIPRanges: string
  readonly excludeInterfaces: string
  readonly rerouteVirtualInterfaces: string
}

/**
 * Parses capture settings from the flags of a command line.
 *
 * @param rest - settings that are not in `texts`; {@link nodeCapture} reads `ownerGroups` and `loopbackCidr` from
 * variables
 * @param nameOf - returns the name of a value for messages, such as `--proxy-uid`
 * @throws `Error` that names the value.
 */
export function parseCapture(
  texts: CaptureTexts,
  rest: Pick<CaptureConfig, 'ipv6' | 'dns' | 'dropInvalid' | 'ownerGroups' | 'loopbackCidr'>,
  nameOf: (key: keyof CaptureTexts) => string,
): CaptureConfig {
  const of = <T>(key: keyof CaptureTexts, parse: (text: string) => T): T => {
    try {
      return parse(texts[key])
    } catch (cause) {
      throw new Error(`${nameOf(key)} is ${quote(texts[key])}: ${messageOf(cause)}`, { cause })
    }
  }
  const config: CaptureConfig = {
    ...rest,
    interceptionMode: texts.mode === 'TPROXY' ? 'TPROXY' : 'REDIRECT',
    proxyPort: of('proxyPort', onePort),
    inboundCapturePort: of('inboundCapturePort', onePort),
    inboundTunnelPort: of('inboundTunnelPort', onePort),
    proxyUIDs: of('proxyUID', ownerList),
    proxyGIDs: of('proxyGID', ownerList),
    tproxyMark: of('tproxyMark', decimal),
    tproxyRouteTable: of('tproxyRouteTable', decimal),
    includeInboundPorts: of('includeInboundPorts', portListOrAll),
    excludeInboundPorts: of('excludeInboundPorts', portList),
    includeOutboundPorts: of('includeOutboundPorts', portList),
    excludeOutboundPorts: of('excludeOutboundPorts', portList),
    includeOutboundIPRanges: of('includeOutboundIPRanges', rangeListOrAll),
    excludeOutboundIPRanges: of('excludeOutboundIPRanges', rangeList),
    excludeInterfaces: of('excludeInterfaces', interfaceList),
    rerouteVirtualInterfaces: of('rerouteVirtualInterfaces', interfaceList),
  }
  checkRuleCount(config, (list, problem) => new Error(`${sourceOf(list, nameOf)}: ${problem}`))
  return config
}

// internal

/** Returns a list's source for error messages: the name of its flag, variable or file. */
function sourceOf(list: keyof RuleLists, nameOf: (key: keyof CaptureTexts) => string): string {
  if (list === 'ownerGroups') return 'environment variable ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE'
  if (list === 'dns') return '/etc/resolv.conf'
  if (list === 'interceptionMode') return nameOf('mode')
  if (list === 'proxyUIDs') return nameOf('proxyUID')
  if (list === 'proxyGIDs') return nameOf('proxyGID')
  return nameOf(list)
}
