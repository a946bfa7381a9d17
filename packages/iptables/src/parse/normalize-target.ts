import type { Family } from '../rules/model.ts'
import { logLevels } from '../rules/words.ts'
import { address, addressRange, hex, mark, number, range } from './normalize.ts'

/** Option of a target as the rule's author spelt it. */
export interface TargetOption {
  readonly option: string
  readonly values: readonly string[]
}

/** Canonical spelling of a target's options, with the defaults that the kernel adds. */
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
    case 'SNAT': {
      const to = options.filter(({ values }) => values.length > 0)
      return [
        ...to.map(({ option, values }) => `${option} ${values.map((each) => natAddress(each, family)).join(' ')}`),
        ...flags(values),
      ]
    }
    case 'NOTRACK':
      return ['notrack']
    case 'CT':
      return texts(options, ctOption)
    case 'REJECT':
      return [`reject-with ${rejectWith(value('reject-with'), family)}`]
    case 'LOG':
      return texts(options, logOption)
    case 'NFLOG':
      return texts(options, nflogOption)
    case 'SET':
      return texts(options, ({ values }) => values)
    default:
      return options.map(({ option, values }) => [option, ...values].join(' '))
  }
}

/** Canonical name of a target. The old target NOTRACK becomes CT, because it means `CT --notrack`. */
export const targetName = (name: string): string => (name === 'NOTRACK' ? 'CT' : name)

// internal

type Values = ReadonlyMap<string, readonly string[]>

/** Converts options that set a mark to one form: clear bits, then xor. */
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

/** Sorted names of a target's flags, which are options without a value. */
const flags = (values: Values) =>
  [...values]
    .filter(([, each]) => each.length === 0)
    .map(([option]) => option)
    .sort()

/** Canonical spelling of a NAT address: `address`, `address:port` or `[address]:port`, also as a range. */
function natAddress(text: string, family: Family): string {
  const parts = (family === 'ipv4' ? /^([^:]*)(?::(.*))?$/ : /^\[([^\]]*)\](?::(.*))?$/).exec(text)
  const host = addressRange(parts?.[1] ?? text, family, false)
  if (parts?.[2] === undefined) return host
  return `${family === 'ipv4' ? host : `[${host}]`}:${range(parts[2], '-')}`
}

/** Canonical texts of a target's options, in a fixed order. Omits an option whose value is `undefined`. */
function texts(
  options: readonly TargetOption[],
  valuesOf: (option: TargetOption) => readonly string[] | undefined,
): string[] {
  return options
    .flatMap((each) => {
      const values = valuesOf(each)
      return values === undefined ? [] : [[each.option, ...values].join(' ')]
    })
    .sort()
}

function ctOption({ option, values }: TargetOption): readonly string[] | undefined {
  if (option === 'ctevents' || option === 'expevents') return [values.join(',').split(',').sort().join(',')]
  const zone = option.startsWith('zone') ? number(values[0]) : Number.NaN
  // Omits zone 0, the default zone of the target CT, because the kernel does not print it.
  if (zone === 0) return undefined
  return Number.isNaN(zone) ? values : [String(zone)]
}

function logOption({ option, values }: TargetOption): readonly string[] | undefined {
  if (option !== 'log-level') return values
  const name = (values[0] ?? '').toLowerCase()
  const level = logLevels.indexOf(levelNames[name] ?? name)
  const text = level === -1 ? name : String(level)
  // Omits the level "warning", the default of the target LOG, because iptables does not print it.
  return text === '4' ? undefined : [text]
}

const levelNames: Readonly<Record<string, string>> = { panic: 'emerg', err: 'error', warn: 'warning' }

function nflogOption({ option, values }: TargetOption): readonly string[] | undefined {
  // Ignores NFLOG's option `--nflog-range`: the kernel does not use it, and the nft back end does not store it.
  if (option === 'nflog-range') return undefined
  if ((option === 'nflog-group' || option === 'nflog-threshold') && number(values[0]) === 0) return undefined
  return values
}

/** Long name of the ICMP error with which REJECT answers, such as `icmp-port-unreachable`. */
function rejectWith(text: string | undefined, family: Family): string {
  const prefix = family === 'ipv4' ? 'icmp' : 'icmp6'
  const name = text ?? 'port-unreachable'
  if (name === 'tcp-rst' || name === 'tcp-reset') return 'tcp-reset'
  if (name.startsWith('icmp')) return name
  return `${prefix}-${name.replace(/-unreach$/, '-unreachable').replace(/-prohib$/, '-prohibited')}`
}
