import { invalid } from '../errors.ts'
import { checkRange } from './match-values.ts'
import type { Family, Target } from './model.ts'
import { checkText } from './names.ts'
import { checkInteger, checkPorts } from './numbers.ts'
import type { RuleWords } from './rule-words.ts'
import type { CtOptions, LogTargetOptions, MasqueradeOptions, NflogOptions, SnatOptions } from './target-options.ts'
import { checkWords, ctEvents, logLevels, rejectTypes } from './words.ts'

/** Validates the ICMP error, or `tcp-reset`, with which REJECT answers in `family`. */
export function checkReject(text: string, family: Family): string {
  const known = rejectTypes[family]
  if (!known.includes(text))
    invalid(`reject: ${JSON.stringify(text)} is unknown in ${family}; expected one of ${known.join(', ')}`)
  return text
}

/** Validates the options of the target LOG. */
export function checkLog(given: string | LogTargetOptions): Target {
  const options = typeof given === 'string' ? { prefix: given } : given
  const { prefix, level } = options
  const flags = logFlags.filter(([name]) => options[name] === true).map(([, flag]) => flag)
  return {
    target: 'LOG',
    ...(prefix === undefined ? undefined : { prefix: checkPrefix(prefix, 29, 'log prefix') }),
    ...(level === undefined ? undefined : { level: checkLevel(level) }),
    ...(flags.length === 0 ? undefined : { flags: Object.freeze(flags) }),
  }
}

/** Validates the options of the target NFLOG. */
export function checkNflog({ group, prefix, size, threshold }: NflogOptions): Target {
  return {
    target: 'NFLOG',
    ...(group === undefined ? undefined : { group: checkInteger(group, 0, 65_535, 'nflog group') }),
    ...(prefix === undefined ? undefined : { prefix: checkPrefix(prefix, 63, 'nflog prefix') }),
    ...(size === undefined ? undefined : { size: checkInteger(size, 0, 0xffffffff, 'nflog size') }),
    ...(threshold === undefined ? undefined : { threshold: checkInteger(threshold, 1, 65_535, 'nflog threshold') }),
  }
}

/** Validates the options of the target CT. */
export function checkCt(options: CtOptions): Target {
  const { helper, ctevents, zone, zoneOrig, zoneReply } = options
  const zones = [zone, zoneOrig, zoneReply].filter((each) => each !== undefined)
  if (zones.length > 1) invalid('ct: only one of zone, zoneOrig and zoneReply is allowed; write a rule for each')
  if (zones.length === 0 && helper === undefined && ctevents === undefined) {
    invalid('ct: at least one of helper, ctevents, zone, zoneOrig, zoneReply is needed')
  }
  if (helper !== undefined && (typeof helper !== 'string' || !/^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,14}$/.test(helper))) {
    invalid(`ct: ${JSON.stringify(helper)} is not the name of a helper such as ftp (1 to 15 letters, digits or _ . -)`)
  }
  return {
    target: 'CT',
    ...(helper === undefined ? undefined : { helper }),
    ...(ctevents === undefined ? undefined : { ctevents: checkWords(ctevents, ctEvents, 'ct ctevents') }),
    ...(zone === undefined ? undefined : { zone: checkZone(zone, 'zone') }),
    ...(zoneOrig === undefined ? undefined : { zoneOrig: checkZone(zoneOrig, 'zoneOrig') }),
    ...(zoneReply === undefined ? undefined : { zoneReply: checkZone(zoneReply, 'zoneReply') }),
  }
}

/** iptables spellings of a NAT target's flags, such as `--random`. Empty if no flag is set. */
export function natFlags({ random, randomFully, persistent }: SnatOptions & MasqueradeOptions) {
  const flags = [
    ...(random === true ? ['random'] : []),
    ...(randomFully === true ? ['random-fully'] : []),
    ...(persistent === true ? ['persistent'] : []),
  ]
  return flags.length === 0 ? undefined : { flags: Object.freeze(flags) }
}

/**
 * Validates a new address for DNAT or SNAT: `10.0.0.1`, `10.0.0.1:80`, `[fd00::1]:80`, each also as a range `from-to`.
 */
export function checkNat(text: string, family: Family, what: string): string {
  const form =
    family === 'ipv4' ? /^([0-9.-]+)(?::([0-9-]+))?$/ : /^(?:\[([0-9A-Fa-f:.-]+)\]:([0-9-]+)|([0-9A-Fa-f:.-]+))$/
  const parts = typeof text === 'string' ? form.exec(text) : null
  const address = parts?.[1] ?? parts?.[3]
  if (address === undefined) {
    const sample = family === 'ipv4' ? '10.0.0.1:80' : '[fd00::1]:80'
    invalid(`${what}: ${JSON.stringify(text)} is not an ${family} address with an optional port, such as ${sample}`)
  }
  checkRange(address, family, what)
  if (parts?.[2] !== undefined) checkPorts(parts[2], what, '-')
  return text
}

// internal

type LogFlag = NonNullable<Extract<Target, { readonly target: 'LOG' }>['flags']>[number]

const logFlags: readonly (readonly [Exclude<keyof LogTargetOptions, 'prefix' | 'level'>, LogFlag])[] = [
  ['tcpSequence', 'tcp-sequence'],
  ['tcpOptions', 'tcp-options'],
  ['ipOptions', 'ip-options'],
  ['uid', 'uid'],
  ['macdecode', 'macdecode'],
]

function checkPrefix(text: string, maxBytes: number, what: string): string {
  if (text === '') invalid(`${what}: an empty text is not allowed; omit it`)
  return checkText(text, maxBytes, what)
}

function checkLevel(level: string | number): string {
  if (typeof level === 'number') return String(checkInteger(level, 0, 7, 'log level'))
  if (!logLevels.includes(level))
    invalid(`log level: ${JSON.stringify(level)} is not one of ${logLevels.join(', ')}, 0-7`)
  return level
}

const checkZone = (zone: RuleWords['ctZone'], what: string): RuleWords['ctZone'] =>
  zone === 'mark' ? zone : checkInteger(zone, 0, 65_535, `ct ${what}`)
