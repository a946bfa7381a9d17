import type { Match, Rule } from './model.ts'
import { checkPlacement, refuse } from './placement.ts'

/** Checks a complete rule, because callers in JavaScript may build invalid rules. */
export function checkRule(rule: Rule): void {
  checkPlacement(rule)
  let protocol: string | undefined
  let seen = 0
  for (const match of rule.matches) {
    const bit = once[match.match] ?? 0
    if ((seen & bit) !== 0) refuse(rule, `${match.match}() stands twice`)
    seen |= bit
    if (match.match === 'proto' && match.not === undefined) protocol = protocolNames[match.protocol] ?? match.protocol
    checkMatch(rule, match, protocol)
  }
  checkTarget(rule, protocol)
  checkMarks(rule)
}

// internal

/** Map from a condition that a rule may contain only once to its bit. `--syn` counts as `--tcp-flags`. */
const once: Readonly<Record<string, number>> = {
  proto: 1,
  src: 2,
  dst: 4,
  in: 8,
  out: 16,
  sport: 32,
  dport: 64,
  tcpFlags: 128,
  syn: 128,
}

/** Map from a protocol's number or alias to the protocol's usual name. */
const protocolNames: Readonly<Record<string, string>> = {
  ...{ '1': 'icmp', '6': 'tcp', '17': 'udp', '33': 'dccp', '58': 'icmpv6', '132': 'sctp', '136': 'udplite' },
  'ipv6-icmp': 'icmpv6',
}

const withPorts = new Set(['tcp', 'udp', 'udplite', 'sctp', 'dccp'])
const natPorts = new Set(['tcp', 'udp', 'sctp', 'dccp'])

/** Checks that the rule's protocol allows a condition. */
function checkMatch(rule: Rule, match: Match, protocol: string | undefined): void {
  switch (match.match) {
    case 'sport':
    case 'dport':
    case 'sports':
    case 'dports':
      if (protocol === undefined || !withPorts.has(protocol)) {
        refuse(rule, `${match.match}() needs a protocol with ports, such as proto('tcp'), before it`)
      }
      if (match.match === 'sport' || match.match === 'dport') checkOnePort(rule, match)
      return
    case 'syn':
    case 'tcpFlags':
      if (protocol !== 'tcp') refuse(rule, `${match.match}() needs proto('tcp') before it`)
      return
    case 'icmpType':
    case 'icmpv6Type': {
      const needed = match.match === 'icmpType' ? 'icmp' : 'icmpv6'
      if (protocol !== needed) refuse(rule, `${match.match}() needs proto('${needed}') before it`)
      return
    }
    case 'proto':
      checkProtocolFamily(rule, match)
      return
    case 'src':
    case 'dst':
      if (match.not === true && values(match.address).some((address) => address.endsWith('/0'))) {
        refuse(rule, `not.${match.match}(…/0) never matches`)
      }
      return
    case 'srcType':
    case 'dstType': {
      const odd = match.types.find((type) => type === 'BROADCAST' || type === 'BLACKHOLE')
      if (odd !== undefined && rule.family !== 'ipv4') {
        refuse(rule, `${match.match}('${odd}') exists in ipv4 only; add .only('ipv4')`)
      }
      return
    }
    default:
  }
}

/** Refuses a port option that iptables lacks, or would assign to an earlier multiport match. */
function checkOnePort(rule: Rule, match: Match): void {
  if (rule.matches.some((each) => each.match === 'proto' && /^(udplite|136)$/.test(each.protocol))) {
    refuse(rule, `iptables has no --${match.match} for udplite; use ${match.match}s()`)
  }
  const list = rule.matches.findIndex((each) => each.match === 'sports' || each.match === 'dports')
  if (list !== -1 && list < rule.matches.indexOf(match)) {
    refuse(rule, `iptables takes ${match.match}() after sports() or dports() for one of these; put it before them`)
  }
}

/** Refuses `icmp` in IPv6 and `icmpv6` in IPv4: the kernel accepts the rule, but no packet matches it. */
function checkProtocolFamily(rule: Rule, match: Match & { match: 'proto' }): void {
  if (match.not === true) return
  const { protocol } = match
  const family = protocol === 'icmp' ? 'ipv4' : protocol === 'icmpv6' || protocol === 'ipv6-icmp' ? 'ipv6' : undefined
  if (family !== undefined && rule.family !== family) {
    refuse(rule, `proto('${protocol}') exists in ${family} only; add .only('${family}')`)
  }
}

/** Refuses alternating `mark` and `connmark` conditions, because iptables 1.8.9 confuses their `--mark` options. */
function checkMarks(rule: Rule): void {
  if (!rule.matches.some(({ match }) => match === 'connmark')) return
  const kinds = rule.matches.map(({ match }) => match).filter((match) => match === 'mark' || match === 'connmark')
  const turns = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1])
  if (turns.length > 1)
    refuse(rule, 'iptables confuses alternating mark() and connmark(); group conditions of the same kind')
}

/** Checks that a rule has the conditions that its target needs. */
function checkTarget(rule: Rule, protocol: string | undefined): void {
  const { target } = rule
  switch (target.target) {
    case 'REDIRECT':
    case 'MASQUERADE':
    case 'DNAT':
    case 'SNAT': {
      const ports = 'to' in target ? values(target.to).some(hasPort) : target.ports !== undefined
      if (ports && (protocol === undefined || !natPorts.has(protocol))) {
        refuse(rule, `${target.target} to a port needs a protocol with ports, such as proto('tcp')`)
      }
      return
    }
    case 'TPROXY':
      if (protocol !== 'tcp' && protocol !== 'udp') refuse(rule, "TPROXY needs proto('tcp') or proto('udp')")
      return
    case 'REJECT':
      if (target.with !== undefined && values(target.with).includes('tcp-reset') && protocol !== 'tcp') {
        refuse(rule, "reject('tcp-reset') needs proto('tcp')")
      }
      return
    case 'TCPMSS':
      if (protocol !== 'tcp' || !rule.matches.some(hasSyn)) {
        refuse(rule, "TCPMSS needs proto('tcp') and syn(), or tcpFlags() with SYN: only these packets contain an MSS")
      }
      return
    case 'CT':
      if (target.helper !== undefined && protocol === undefined) {
        refuse(rule, `ct helper ${target.helper} needs the protocol it helps, such as proto('tcp')`)
      }
      return
    default:
  }
}

const hasSyn = (match: Match) =>
  (match.match === 'syn' || (match.match === 'tcpFlags' && match.set.includes('SYN'))) && match.not !== true

const values = (value: string | { ipv4: string; ipv6: string }) =>
  typeof value === 'string' ? [value] : [value.ipv4, value.ipv6]

const hasPort = (address: string) => /^[0-9.-]+:|\]:/.test(address)
