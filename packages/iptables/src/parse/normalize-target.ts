import type { Family } from '../rules/model.ts'
import { address, hex, mark, number, range } from './normalize.ts'

/** An option of a target as it was found. */
export interface TargetOption {
  readonly option: string
  readonly values: readonly string[]
}

/** The one spelling of a target's options; what the kernel adds as a default is added here too. */
export function normalizeTarget(name: string, options: readonly TargetOption[], family: Family): string[] {
  const values = new Map(options.map(({ option, values }) => [option, values]))
  const value = (option: string) => values.get(option)?.[0]
  switch (name) {
    case 'MARK':
      return [markAction(values, 'MARK')]
    case 'CONNMARK':
      return [connmarkAction(values)]
    case 'TPROXY': {
      const ip = address(value('on-ip') ?? '', family)
      const any = ip === '' || /^[0:.]+$/.test(ip)
      return [
        `on-port ${value('on-port') ?? '0'}`,
        `tproxy-mark ${value('tproxy-mark') === undefined ? '0x0/0x0' : mark(value('tproxy-mark') ?? '')}`,
        ...(any ? [] : [`on-ip ${ip}`]),
      ]
    }
    case 'REDIRECT':
    case 'MASQUERADE': {
      const ports = value('to-ports') ?? value('to-port')
      return [...(ports === undefined ? [] : [`to-ports ${range(ports, '-')}`]), ...flags(values)]
    }
    case 'DNAT':
    case 'SNAT':
      return options.map(({ option, values }) => `${option} ${values.map((to) => natAddress(to, family)).join(' ')}`)
    case 'NOTRACK':
      return ['notrack']
    case 'CT':
      return options.flatMap(({ option, values }) => {
        const zone = option === 'zone' ? number(values[0]) : Number.NaN
        // Zone 0 is that of every connection without one: the kernel does not print it.
        if (zone === 0) return []
        return [[option, ...(Number.isNaN(zone) ? values : [String(zone)])].join(' ')]
      })
    case 'REJECT':
      return [`reject-with ${value('reject-with') ?? `${family === 'ipv4' ? 'icmp' : 'icmp6'}-port-unreachable`}`]
    default:
      return options.map(({ option, values }) => [option, ...values].join(' '))
  }
}

/** NOTRACK is the old name of `CT --notrack`. */
export const targetName = (name: string): string => (name === 'NOTRACK' ? 'CT' : name)

// internal

type Values = ReadonlyMap<string, readonly string[]>

/** All ways to write a mark come down to "clear the mask's bits, then xor the value". */
function markAction(values: Values, target: string): string {
  const of = (option: string) => values.get(option)?.[0]
  const [set, xset] = [of('set-mark'), of('set-xmark')]
  if (xset !== undefined) return `set-xmark ${mark(xset)}`
  if (set !== undefined) {
    const [value, mask] = set.split('/')
    const bits = mask === undefined ? 0xffffffff : (number(mask) | number(value)) >>> 0
    return `set-xmark ${hex(number(value))}/${hex(bits)}`
  }
  const [or, and, xor] = [of('or-mark'), of('and-mark'), of('xor-mark')]
  if (or !== undefined) return `set-xmark ${hex(number(or))}/${hex(number(or))}`
  if (and !== undefined) return `set-xmark 0x0/${hex(~number(and))}`
  if (xor !== undefined) return `set-xmark ${hex(number(xor))}/0x0`
  return `${target} ${[...values].flat(2).join(' ')}`
}

function connmarkAction(values: Values): string {
  const action = values.has('save-mark') ? 'save-mark' : values.has('restore-mark') ? 'restore-mark' : undefined
  if (action === undefined) return markAction(values, 'CONNMARK')
  const both = values.get('mask')?.[0] ?? '0xffffffff'
  const [nf, ct] = [values.get('nfmask')?.[0] ?? both, values.get('ctmask')?.[0] ?? both]
  return `${action} ${hex(number(nf))}/${hex(number(ct))}`
}

/** Flags without a value, sorted. */
const flags = (values: Values) =>
  [...values]
    .filter(([, each]) => each.length === 0)
    .map(([option]) => option)
    .sort()

function natAddress(text: string, family: Family): string {
  if (family === 'ipv4') return text
  const parts = /^\[(.*)\](.*)$/.exec(text)
  return parts === null ? address(text, family) : `[${address(parts[1] ?? '', family)}]${parts[2] ?? ''}`
}
