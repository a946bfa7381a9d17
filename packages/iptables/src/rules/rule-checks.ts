import { invalid } from '../errors.ts'
import { builtinChains, isBuiltin, type Match, type Rule, type Table } from './model.ts'

/**
 * What the kernel or iptables would refuse about a rule as a whole, and what they would silently never match. The types
 * rule most of it out; this catches the rest, and callers without types.
 */
export function checkRule(rule: Rule): void {
  checkTarget(rule)
  let protocol: string | undefined
  let seen = 0
  for (const match of rule.matches) {
    const bit = once[match.match] ?? 0
    if ((seen & bit) !== 0) refuse(rule, `${match.match}() stands twice`)
    seen |= bit
    if (match.match === 'proto' && match.not === undefined) protocol = match.protocol
    checkMatch(rule, match, protocol)
  }
  checkPortTarget(rule, protocol)
  checkMarks(rule)
}

// internal

/** Conditions that iptables takes once per rule, one bit each. */
const once: Readonly<Record<string, number>> = { proto: 1, src: 2, dst: 4, in: 8, out: 16, sport: 32, dport: 64 }

const tableOf: Readonly<Record<string, Table>> = {
  REDIRECT: 'nat',
  DNAT: 'nat',
  SNAT: 'nat',
  MASQUERADE: 'nat',
  TPROXY: 'mangle',
  CT: 'raw',
  REJECT: 'filter',
}

/** Built-in chains from which the kernel lets a target be reached. */
const chainsOf: Readonly<Record<string, readonly string[]>> = {
  REDIRECT: ['PREROUTING', 'OUTPUT'],
  DNAT: ['PREROUTING', 'OUTPUT'],
  SNAT: ['POSTROUTING', 'INPUT'],
  MASQUERADE: ['POSTROUTING'],
  TPROXY: ['PREROUTING'],
}

function checkTarget(rule: Rule): void {
  const name = rule.target.target
  const table = tableOf[name]
  if (table !== undefined && table !== rule.table) refuse(rule, `${name} exists in table ${table} only`)
  if (name === 'DROP' && rule.table === 'nat') refuse(rule, 'the nat table does not filter, DROP is not possible in it')
  const chains = chainsOf[name]
  if (chains !== undefined && isBuiltin(rule.table, rule.chain) && !chains.includes(rule.chain)) {
    refuse(rule, `${name} is possible in ${chains.join(' and ')} and in own chains called from there`)
  }
}

const withPorts = new Set(['tcp', 'udp', 'udplite', 'sctp', 'dccp', '6', '17', '33', '132', '136'])

/** The multiport match and the port options of NAT know these; UDP-Lite included. */
function checkMatch(rule: Rule, match: Match, protocol: string | undefined): void {
  switch (match.match) {
    case 'sport':
    case 'dport':
    case 'sports':
    case 'dports':
      if (protocol === undefined || !withPorts.has(protocol)) {
        refuse(rule, `${match.match}() needs a protocol with ports, such as proto('tcp'), before it`)
      }
      return
    case 'proto':
      checkProtocolFamily(rule, protocol)
      return
    case 'src':
    case 'dst':
      if (match.not === true && addresses(match.address).some((address) => address.endsWith('/0'))) {
        refuse(rule, `not.${match.match}(…/0) never matches`)
      }
      return
    case 'in':
      if (isBuiltin(rule.table, rule.chain) && ['OUTPUT', 'POSTROUTING'].includes(rule.chain)) {
        refuse(rule, 'in() is not possible: packets have no incoming interface there')
      }
      return
    case 'out':
      if (isBuiltin(rule.table, rule.chain) && ['PREROUTING', 'INPUT'].includes(rule.chain)) {
        refuse(rule, 'out() is not possible: packets have no outgoing interface there')
      }
      return
    case 'uid':
    case 'gid':
    case 'socketExists':
      if (isBuiltin(rule.table, rule.chain) && !['OUTPUT', 'POSTROUTING'].includes(rule.chain)) {
        refuse(rule, `${match.match}() is possible in OUTPUT and POSTROUTING and in own chains called from there`)
      }
      return
    default:
  }
}

/** `icmp` in IPv6, or `icmpv6` in IPv4, loads and never matches. */
function checkProtocolFamily(rule: Rule, protocol: string | undefined): void {
  const family = protocol === 'icmp' ? 'ipv4' : protocol === 'icmpv6' || protocol === 'ipv6-icmp' ? 'ipv6' : undefined
  if (family !== undefined && rule.family !== family) {
    refuse(rule, `proto('${protocol}') exists in ${family} only; add .only('${family}')`)
  }
}

/** Both matches call their option --mark; back at the first one, iptables (1.8.9) gives it to the second one. */
function checkMarks(rule: Rule): void {
  if (!rule.matches.some(({ match }) => match === 'connmark')) return
  const kinds = rule.matches.map(({ match }) => match).filter((match) => match === 'mark' || match === 'connmark')
  const turns = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1])
  if (turns.length > 1) refuse(rule, 'iptables mixes up mark() and connmark() in turn; put equal ones side by side')
}

function checkPortTarget(rule: Rule, protocol: string | undefined): void {
  const target = rule.target
  const ports =
    (target.target === 'REDIRECT' && target.ports !== undefined) ||
    ((target.target === 'DNAT' || target.target === 'SNAT') && addresses(target.to).some(hasPort))
  if (ports && (protocol === undefined || !withPorts.has(protocol))) {
    refuse(rule, `${target.target} to a port needs a protocol with ports, such as proto('tcp')`)
  }
  if (target.target === 'TPROXY' && protocol !== 'tcp' && protocol !== 'udp') {
    refuse(rule, "TPROXY needs proto('tcp') or proto('udp')")
  }
  if (target.target === 'REJECT' && target.with === 'tcp-reset' && protocol !== 'tcp') {
    refuse(rule, "reject('tcp-reset') needs proto('tcp')")
  }
}

const addresses = (value: string | { ipv4: string; ipv6: string }) =>
  typeof value === 'string' ? [value] : [value.ipv4, value.ipv6]

const hasPort = (address: string) => /^[0-9.]+:|\]:/.test(address)

function refuse(rule: Rule, why: string): never {
  const kind = (builtinChains[rule.table] as readonly string[]).includes(rule.chain) ? '' : ' (own chain)'
  return invalid(`${rule.table} ${rule.chain}${kind}: ${why}`)
}
