import type { Family, Target } from '../rules/model.ts'
import { forFamily } from './match-args.ts'
import { hex, markText } from './numbers.ts'

/** Appends the iptables tokens of a rule's target. */
export function pushTarget(out: string[], target: Target, family: Family): void {
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
      pushOptions(out, target, family)
  }
}

// internal

function pushOptions(out: string[], target: Target, family: Family): void {
  switch (target.target) {
    case 'REDIRECT':
    case 'MASQUERADE':
      pushIf(out, '--to-ports', target.ports)
      pushFlags(out, '--', target.flags)
      return
    case 'TPROXY':
      if (target.mark !== undefined) out.push('--tproxy-mark', markText(target.mark, target.mask))
      out.push('--on-port', String(target.port))
      if (target.on !== undefined) out.push('--on-ip', forFamily(target.on, family))
      return
    case 'DNAT':
    case 'SNAT':
      out.push(target.target === 'DNAT' ? '--to-destination' : '--to-source', forFamily(target.to, family))
      pushFlags(out, '--', target.flags)
      return
    case 'MARK':
    case 'CONNMARK':
      pushMark(out, target)
      return
    case 'CT':
      if (target.notrack === true) out.push('--notrack')
      pushIf(out, '--helper', target.helper)
      pushIf(out, '--ctevents', target.ctevents?.join(','))
      pushIf(out, '--zone', target.zone)
      pushIf(out, '--zone-orig', target.zoneOrig)
      pushIf(out, '--zone-reply', target.zoneReply)
      return
    case 'REJECT':
      if (target.with !== undefined) out.push('--reject-with', forFamily(target.with, family))
      return
    case 'LOG':
      pushIf(out, '--log-prefix', target.prefix)
      pushIf(out, '--log-level', target.level)
      pushFlags(out, '--log-', target.flags)
      return
    case 'NFLOG':
      pushIf(out, '--nflog-group', target.group)
      pushIf(out, '--nflog-prefix', target.prefix)
      pushIf(out, '--nflog-size', target.size)
      pushIf(out, '--nflog-threshold', target.threshold)
      return
    case 'TCPMSS':
      if (target.mss === 'pmtu') out.push('--clamp-mss-to-pmtu')
      else out.push('--set-mss', String(target.mss))
      return
    case 'SET':
      out.push(`--${target.action}-set`, forFamily(target.name, family), target.dirs.join(','))
      if (target.exist === true) out.push('--exist')
      pushIf(out, '--timeout', target.timeoutSeconds)
      return
    default:
  }
}

function pushMark(out: string[], target: Target & { target: 'MARK' | 'CONNMARK' }): void {
  const action = target.action ?? 'set'
  if (!('value' in target)) {
    out.push(`--${action}-mark`)
    if (target.mask !== undefined) out.push('--mask', hex(target.mask))
  } else if (action === 'set' || action === 'xmark') {
    out.push(action === 'set' ? '--set-mark' : '--set-xmark', markText(target.value, target.mask))
  } else {
    out.push(`--${action}-mark`, hex(target.value))
  }
}

function pushIf(out: string[], option: string, value: string | number | undefined): void {
  if (value !== undefined) out.push(option, String(value))
}

function pushFlags(out: string[], prefix: string, flags: readonly string[] | undefined): void {
  if (flags !== undefined) for (const flag of flags) out.push(`${prefix}${flag}`)
}
