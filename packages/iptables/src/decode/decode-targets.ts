import type { Family } from '../rules/model.ts'
import { ctEvents } from '../rules/words.ts'
import { hex } from '../text/numbers.ts'
import type { StructureReader } from '../xt/structure-reader.ts'
import {
  ADDRESSES,
  ALL,
  CLAMP,
  CT_MARK,
  CT_NOTRACK,
  CT_OLD_NAME,
  CT_ORIG,
  CT_REPLY,
  connmarkModes,
  logBits,
  NFLOG_COPY,
  natBits,
  PORTS,
  rejects,
  USUAL_LEVEL,
  wordsOf,
} from '../xt/words.ts'
import { moduleTexts } from './module-text.ts'
import { addressText, span, words } from './option-text.ts'
import { savedName, savedWord } from './saved-word.ts'

/**
 * Decodes a target to text as `iptables-save` prints it; `undefined` for target options that this package does not
 * model.
 */
export const targetText = /* @__PURE__ */ moduleTexts('-j', {
  'REDIRECT 0': (info, family) => nat(info, 'REDIRECT', family),
  'MASQUERADE 0': (info, family) => nat(info, 'MASQUERADE', family),
  'SNAT 0': (info) => nat(info, 'SNAT', 'ipv4'),
  'SNAT 1': (info) => nat(info, 'SNAT', 'ipv6'),
  'DNAT 2': (info, family) => nat(info, 'DNAT', family),
  'TPROXY 1': tproxy,
  'MARK 2': (info) => `MARK --set-xmark ${hex(info.u32(0))}/${hex(info.u32(4))}`,
  'CONNMARK 2': connmark,
  'CT 2': connectionTracking,
  'NOTRACK 0': () => 'NOTRACK',
  'REJECT 0': reject,
  'LOG 0': log,
  'NFLOG 0': nflog,
  'TCPMSS 0': tcpmss,
})

/** Options of NFLOG, decoded from its xt module or from an nf_tables `log` expression. */
export interface Nflog {
  readonly prefix: string
  readonly group: number
  readonly size: number | undefined
  readonly threshold: number
}

export function nflogText({ prefix, group, size, threshold }: Nflog): string {
  return words(
    'NFLOG',
    prefix === '' ? '' : `--nflog-prefix ${savedWord(prefix)}`,
    group === 0 ? '' : `--nflog-group ${group}`,
    size === undefined ? '' : `--nflog-size ${size}`,
    threshold === 0 ? '' : `--nflog-threshold ${threshold}`,
  )
}

// Each function below decodes one xt target module: it returns the module's name and its options as text.

function nat(info: StructureReader, name: string, family: Family): string | undefined {
  const old = family === 'ipv4' && name !== 'DNAT'
  // The kernel allows only one address range, although its structure has room for several.
  if (old && info.u32(0) !== 1) return undefined
  const bits = info.u32(old ? 4 : 0)
  const flags = wordsOf(natBits, bits & ~(ADDRESSES | PORTS))
  const onlyPorts = name === 'REDIRECT' || name === 'MASQUERADE'
  if (flags === undefined || (onlyPorts && (bits & ADDRESSES) !== 0)) return undefined
  const address = (at: number) => addressText(info.take(at, family === 'ipv4' ? 4 : 16))
  const [host, port] = [old ? 8 : 4, old ? 16 : 36]
  const hosts = (bits & ADDRESSES) === 0 ? '' : span(address(host), address(host + (old ? 4 : 16)), '-')
  const ports = (bits & PORTS) === 0 ? '' : span(info.be16(port), info.be16(port + 2), '-')
  const flagTexts = natFlagNames.filter((flag) => flags.includes(flag)).map((flag) => `--${flag}`)
  return words(name, natOption(name, hosts, ports), ...flagTexts)
}

/** Names of a NAT target's flags, in the order in which iptables prints them. */
const natFlagNames = ['random', 'random-fully', 'persistent']

function natOption(name: string, hosts: string, ports: string): string {
  if (hosts === '' && ports === '') return ''
  if (name === 'REDIRECT' || name === 'MASQUERADE') return `--to-ports ${ports}`
  const to = ports === '' ? hosts : `${hosts.includes(':') ? `[${hosts}]` : hosts}:${ports}`
  return `${name === 'DNAT' ? '--to-destination' : '--to-source'} ${to}`
}

function tproxy(info: StructureReader, family: Family): string {
  const [mask, value] = [info.u32(0), info.u32(4)]
  const address = addressText(info.take(8, family === 'ipv4' ? 4 : 16))
  return `TPROXY --on-port ${info.be16(24)} --on-ip ${address} --tproxy-mark ${hex(value)}/${hex(mask)}`
}

function connmark(info: StructureReader): string | undefined {
  const [mark, mask, packetMask, mode] = [info.u32(0), info.u32(4), info.u32(8), info.u8(14)]
  if (mode === 0) return packetMask === ALL ? `CONNMARK --set-xmark ${hex(mark)}/${hex(mask)}` : undefined
  const name = connmarkModes[mode]
  return mark === 0 && name ? `CONNMARK --${name}-mark --nfmask ${hex(packetMask)} --ctmask ${hex(mask)}` : undefined
}

function connectionTracking(info: StructureReader): string | undefined {
  const flags = info.u16(0)
  if (flags === (CT_NOTRACK | CT_OLD_NAME)) return 'NOTRACK'
  const [zone, events, helper] = [info.u16(2), wordsOf(ctEvents, info.u32(4)), info.text(12, 16)]
  const which = zoneOptions.get(flags & (CT_ORIG | CT_REPLY))
  const fromMark = (flags & CT_MARK) !== 0
  const known = CT_NOTRACK | CT_ORIG | CT_REPLY | CT_MARK
  if (events === undefined || which === undefined || (flags & ~known) !== 0 || (fromMark && zone !== 0))
    return undefined
  return words(
    'CT',
    (flags & CT_NOTRACK) === 0 ? '' : '--notrack',
    helper === '' ? '' : `--helper ${savedName(helper)}`,
    events.length === 0 ? '' : `--ctevents ${events.join(',')}`,
    fromMark ? `${which} mark` : zone === 0 ? '' : `${which} ${zone}`,
  )
}

const zoneOptions: ReadonlyMap<number, string> = new Map([
  [0, '--zone'],
  [CT_ORIG, '--zone-orig'],
  [CT_REPLY, '--zone-reply'],
])

function reject(info: StructureReader, family: Family): string | undefined {
  const answer = rejects[family][info.u32(0)]
  return answer ? `REJECT --reject-with ${answer}` : undefined
}

function log(info: StructureReader): string | undefined {
  const [level, flags, prefix] = [info.u8(0), wordsOf(logBits, info.u8(1)), info.text(2, 30)]
  if (flags === undefined) return undefined
  return words(
    'LOG',
    prefix === '' ? '' : `--log-prefix ${savedWord(prefix)}`,
    level === USUAL_LEVEL ? '' : `--log-level ${level}`,
    ...flags.map((flag) => `--log-${flag}`),
  )
}

function nflog(info: StructureReader): string | undefined {
  const [size, group, threshold, flags] = [info.u32(0), info.u16(4), info.u16(6), info.u16(8)]
  if (flags > NFLOG_COPY || (flags === 0 && size !== 0)) return undefined
  return nflogText({ prefix: info.text(12, 64), group, threshold, size: flags === 0 ? undefined : size })
}

function tcpmss(info: StructureReader): string {
  const mss = info.u16(0)
  return `TCPMSS ${mss === CLAMP ? '--clamp-mss-to-pmtu' : `--set-mss ${mss}`}`
}
