import type { AddressPair, Family, Match } from '../rules/model.ts'
import { markText } from './numbers.ts'

/** Appends the iptables tokens of a rule's condition. */
export function pushMatch(out: string[], match: Match, family: Family): void {
  if (match.match === 'raw') {
    out.push(...match.tokens)
    return
  }
  const [module, option] = options[match.match]
  if (module !== '') out.push('-m', module)
  if (match.match === 'random' || match.match === 'nth') out.push('--mode', match.match)
  if ('not' in match && match.not === true) out.push('!')
  if (option !== '') out.push(option)
  pushValues(out, match, family)
}

/** Value of a condition for `family`: the single value, or the family's half of a pair. */
export const forFamily = (value: string | AddressPair, family: Family): string =>
  typeof value === 'string' ? value : value[family]

// internal

/** Map from a condition to its iptables module (`-m`) and option. An empty module needs no `-m`. */
const options: Readonly<Record<Exclude<Match['match'], 'raw'>, readonly [module: string, option: string]>> = {
  proto: ['', '-p'],
  src: ['', '-s'],
  dst: ['', '-d'],
  in: ['', '-i'],
  out: ['', '-o'],
  sport: ['', '--sport'],
  dport: ['', '--dport'],
  sports: ['multiport', '--sports'],
  dports: ['multiport', '--dports'],
  tcpFlags: ['', '--tcp-flags'],
  syn: ['', '--syn'],
  icmpType: ['', '--icmp-type'],
  icmpv6Type: ['', '--icmpv6-type'],
  uid: ['owner', '--uid-owner'],
  gid: ['owner', '--gid-owner'],
  socketExists: ['owner', '--socket-exists'],
  ctstate: ['conntrack', '--ctstate'],
  state: ['state', '--state'],
  mark: ['mark', '--mark'],
  connmark: ['connmark', '--mark'],
  srcType: ['addrtype', '--src-type'],
  dstType: ['addrtype', '--dst-type'],
  srcRange: ['iprange', '--src-range'],
  dstRange: ['iprange', '--dst-range'],
  set: ['set', '--match-set'],
  mac: ['mac', '--mac-source'],
  pktType: ['pkttype', '--pkt-type'],
  random: ['statistic', '--probability'],
  nth: ['statistic', '--every'],
  socket: ['socket', ''],
  limit: ['limit', '--limit'],
  comment: ['comment', '--comment'],
}

function pushValues(out: string[], match: Exclude<Match, { match: 'raw' }>, family: Family): void {
  switch (match.match) {
    case 'proto':
      out.push(match.protocol)
      return
    case 'src':
    case 'dst':
      out.push(forFamily(match.address, family))
      return
    case 'in':
    case 'out':
      out.push(match.name)
      return
    case 'sport':
    case 'dport':
    case 'sports':
    case 'dports':
      out.push(match.ports)
      return
    case 'tcpFlags':
      out.push(match.mask.join(','), match.set.length === 0 ? 'NONE' : match.set.join(','))
      return
    case 'icmpType':
    case 'icmpv6Type':
    case 'pktType':
      out.push(match.type)
      return
    case 'uid':
    case 'gid':
      out.push(match.owner)
      return
    case 'syn':
    case 'socketExists':
      return
    case 'ctstate':
    case 'state':
      out.push(match.states.join(','))
      return
    case 'mark':
    case 'connmark':
      out.push(markText(match.value, match.mask))
      return
    case 'srcType':
    case 'dstType':
      out.push(match.types.join(','))
      return
    case 'srcRange':
    case 'dstRange':
      out.push(forFamily(match.range, family))
      return
    case 'set':
      out.push(forFamily(match.name, family), match.dirs.join(','))
      return
    case 'mac':
      out.push(match.address)
      return
    case 'random':
      // Prints eleven digits of a probability, as iptables-save does. These digits are more precise than the kernel's
      // 31 bits.
      out.push(match.probability.toFixed(11))
      return
    case 'nth':
      out.push(String(match.every), '--packet', String(match.packet))
      return
    case 'socket':
      for (const flag of match.flags) out.push(`--${flag}`)
      return
    case 'limit':
      out.push(match.rate)
      if (match.burst !== undefined) out.push('--limit-burst', String(match.burst))
      return
    case 'comment':
      out.push(match.text)
  }
}
