import { invalid } from '../errors.ts'
import type { AddressPair, Family, Match, Rule, Target } from '../rules/model.ts'

/**
 * A rule's tokens in the author's order, without `-A CHAIN`: what an own printer needs.
 *
 * @example
 * ```ts
 * import { ruleArgs, ruleset } from '@cni/iptables'
 *
 * const { rules } = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('EX').out('lo').proto('tcp').not.dport(15008).return()])
 * export const tokens = rules.map((rule) => ruleArgs(rule, 'ipv4')) // [['-o', 'lo', '-p', 'tcp', '!', '--dport', …
 * ```
 */
export function ruleArgs(rule: Rule, family: Family): string[] {
  if (rule.family !== undefined && rule.family !== family) {
    invalid(`${rule.table} ${rule.chain}: the rule is for ${rule.family} only and has no ${family} text`)
  }
  const out: string[] = []
  for (const match of rule.matches) pushMatch(out, match, family)
  pushTarget(out, rule.target, family)
  return out
}

// internal

/** Module (`-m`) and option of each condition; tcp, udp and the like are loaded by `-p`. */
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
  uid: ['owner', '--uid-owner'],
  gid: ['owner', '--gid-owner'],
  socketExists: ['owner', '--socket-exists'],
  ctstate: ['conntrack', '--ctstate'],
  mark: ['mark', '--mark'],
  connmark: ['connmark', '--mark'],
  srcType: ['addrtype', '--src-type'],
  dstType: ['addrtype', '--dst-type'],
  comment: ['comment', '--comment'],
}

function pushMatch(out: string[], match: Match, family: Family): void {
  if (match.match === 'raw') {
    out.push(...match.tokens)
    return
  }
  const [module, option] = options[match.match]
  if (module !== '') out.push('-m', module)
  if ('not' in match && match.not === true) out.push('!')
  out.push(option)
  const value = matchValue(match, family)
  if (value !== undefined) out.push(value)
}

function matchValue(match: Exclude<Match, { match: 'raw' }>, family: Family): string | undefined {
  switch (match.match) {
    case 'proto':
      return match.protocol
    case 'src':
    case 'dst':
      return addressFor(match.address, family)
    case 'in':
    case 'out':
      return match.name
    case 'sport':
    case 'dport':
    case 'sports':
    case 'dports':
      return match.ports
    case 'uid':
    case 'gid':
      return match.owner
    case 'socketExists':
      return undefined
    case 'ctstate':
      return match.states.join(',')
    case 'mark':
    case 'connmark':
      return markText(match.value, match.mask)
    case 'srcType':
    case 'dstType':
      return match.types.join(',')
    case 'comment':
      return match.text
  }
}

function pushTarget(out: string[], target: Target, family: Family): void {
  switch (target.target) {
    case 'none':
      return
    case 'jump':
      out.push('-j', target.chain)
      return
    case 'goto':
      out.push('-g', target.chain)
      return
    case 'raw':
      out.push('-j', target.name, ...target.tokens)
      return
    default:
      out.push('-j', target.target)
  }
  switch (target.target) {
    case 'REDIRECT':
      if (target.ports !== undefined) out.push('--to-ports', target.ports)
      return
    case 'TPROXY':
      if (target.mark !== undefined) out.push('--tproxy-mark', markText(target.mark, target.mask))
      out.push('--on-port', String(target.port))
      return
    case 'DNAT':
      out.push('--to-destination', addressFor(target.to, family))
      return
    case 'SNAT':
      out.push('--to-source', addressFor(target.to, family))
      return
    case 'MARK':
      out.push('--set-mark', markText(target.value, target.mask))
      return
    case 'CONNMARK':
      if (target.action === 'set') out.push('--set-mark', markText(target.value, target.mask))
      else out.push(`--${target.action}-mark`, ...(target.mask === undefined ? [] : ['--mask', hex(target.mask)]))
      return
    case 'CT':
      if ('zone' in target) out.push('--zone', String(target.zone))
      else out.push('--notrack')
      return
    case 'REJECT':
      if (target.with !== undefined) out.push('--reject-with', target.with)
      return
    case 'LOG':
      if (target.prefix !== undefined) out.push('--log-prefix', target.prefix)
      return
    default:
  }
}

const addressFor = (address: string | AddressPair, family: Family) =>
  typeof address === 'string' ? address : address[family]

const markText = (value: number, mask?: number) => (mask === undefined ? String(value) : `${value}/${hex(mask)}`)

const hex = (value: number) => `0x${value.toString(16)}`
