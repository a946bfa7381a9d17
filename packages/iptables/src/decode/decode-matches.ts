import type { Family } from '../rules/model.ts'
import { ctStates } from '../rules/words.ts'
import type { StructureReader } from '../xt/structure-reader.ts'
import {
  addressTypeBits,
  OLD_STATE,
  packetTypes,
  portModules,
  SOCKET,
  STATE,
  socketBits,
  stateBits,
  UNUSED,
  wordsOf,
} from '../xt/words.ts'
import { moduleTexts } from './module-text.ts'
import { addressText, flagsOption, maskedText, option, portOption, span, words } from './option-text.ts'
import { savedWord } from './saved-word.ts'

/**
 * Decodes a match to text as `iptables-save` prints it; `undefined` for match options that this package does not model.
 */
export const matchText = /* @__PURE__ */ moduleTexts('-m', {
  'tcp 0': (info) => transport(info, 'tcp', info.u8(11)),
  'udp 0': (info) => transport(info, 'udp', info.u8(8)),
  'dccp 0': (info) => portModule(info, 'dccp'),
  'sctp 0': (info) => portModule(info, 'sctp'),
  'multiport 1': multiport,
  'owner 1': owner,
  'conntrack 3': states,
  'mark 1': (info) => mark(info, 'mark'),
  'connmark 1': (info) => mark(info, 'connmark'),
  'addrtype 1': addressTypes,
  'iprange 1': ranges,
  'mac 0': mac,
  'pkttype 0': packetType,
  'statistic 0': statistic,
  'socket 3': socket,
  'comment 0': (info) => `comment --comment ${savedWord(info.text(0, 256))}`,
  'icmp 0': (info) => icmp(info, 'icmp', '--icmp-type'),
  'icmp6 0': (info) => icmp(info, 'icmp6', '--icmpv6-type'),
})

// Each function below decodes one xt match module: it returns the module's name and its options as text.

function transport(info: StructureReader, name: 'tcp' | 'udp', inverse: number): string | undefined {
  const ports = ['--sport', '--dport'].map((each, i) =>
    portOption((inverse & (1 << i)) !== 0, each, info.u16(4 * i), info.u16(4 * i + 2)),
  )
  const flags = name === 'udp' ? '' : flagsOption((inverse & 4) !== 0, info.u8(9), info.u8(10))
  const known = name === 'udp' ? 3 : 7
  return flags === undefined || inverse > known ? undefined : words(name, ...ports, flags)
}

function portModule(info: StructureReader, name: keyof typeof portModules): string | undefined {
  const offsets = portModules[name]
  const [checked, inverse] = [info.u16(offsets.checked), info.u16(offsets.inverse)]
  // The kernel's structure has the destination ports before the source ports.
  const ports = ['--sport', '--dport'].map((each, i) =>
    (checked & (1 << i)) === 0
      ? ''
      : option((inverse & (1 << i)) !== 0, each, span(info.u16(4 - 4 * i), info.u16(6 - 4 * i), ':')),
  )
  const isPlain = offsets.unused.every((at) => info.u8(at) === UNUSED)
  return isPlain && checked <= 3 && (inverse & ~checked) === 0 ? words(name, ...ports) : undefined
}

function multiport(info: StructureReader): string | undefined {
  const name = ['--sports', '--dports', '--ports'][info.u8(0)]
  const count = Math.min(info.u8(1), 15)
  let list = ''
  for (let i = 0; i < count; i++) {
    const range = info.flag(32 + i)
    list += `${i === 0 ? '' : ','}${info.u16(2 + 2 * i)}`
    if (range) list += `:${info.u16(2 + 2 * ++i)}`
  }
  return name && `multiport ${option(info.flag(47), name, list)}`
}

function owner(info: StructureReader): string | undefined {
  const [bits, inverse] = [info.u8(16), info.u8(17)]
  const ids = ['--uid-owner', '--gid-owner'].map((name, i) => {
    if ((bits & (1 << i)) === 0) return ''
    return option((inverse & (1 << i)) !== 0, name, span(info.u32(8 * i), info.u32(8 * i + 4), '-'))
  })
  const exists = (bits & SOCKET) === 0 ? '' : `${(inverse & SOCKET) === 0 ? '' : '! '}--socket-exists`
  return bits > 7 || (inverse & ~bits) !== 0 ? undefined : words('owner', exists, ...ids)
}

function states(info: StructureReader): string | undefined {
  const [flags, not] = [info.u16(146), info.u16(148)]
  const found = wordsOf(stateBits, info.u16(150))
  if (found === undefined || not > 1 || (flags | OLD_STATE) !== (STATE | OLD_STATE)) return undefined
  const list = ctStates.filter((state) => found.includes(state)).join(',')
  const [module, name] = flags === STATE ? ['conntrack', '--ctstate'] : ['state', '--state']
  return `${module} ${option(not === 1, name, list)}`
}

function mark(info: StructureReader, module: string): string {
  return `${module} ${option(info.flag(8), '--mark', maskedText(info.u32(0), info.u32(4)))}`
}

function addressTypes(info: StructureReader): string | undefined {
  const flags = info.u32(4)
  const [source, destination] = ['--src-type', '--dst-type'].map((name, i) => {
    const [types, not] = [info.u16(2 * i), (flags & (1 << i)) !== 0]
    const found = wordsOf(addressTypeBits, types)
    if (types === 0) return not ? undefined : ''
    return found && option(not, name, found.join(','))
  })
  const limits = wordsOf(['', '', '--limit-iface-in', '--limit-iface-out'], flags & ~3)
  if (source === undefined || destination === undefined || limits === undefined) return undefined
  return words('addrtype', source, destination, ...limits)
}

function ranges(info: StructureReader, family: Family): string | undefined {
  const flags = info.u8(64)
  const length = family === 'ipv4' ? 4 : 16
  const list = ['--src-range', '--dst-range'].map((name, i) => {
    if ((flags & (1 << i)) === 0) return ''
    const [first = '', last = ''] = [32 * i, 32 * i + 16].map((at) => addressText(info.take(at, length)))
    return option((flags & (16 << i)) !== 0, name, `${first}-${last}`)
  })
  return (flags & ~0x33) === 0 && ((flags >> 4) & ~flags) === 0 ? words('iprange', ...list) : undefined
}

function mac(info: StructureReader): string {
  const bytes = [...info.take(0, 6)].map((byte) => byte.toString(16).padStart(2, '0'))
  return `mac ${option(info.flag(8), '--mac-source', bytes.join(':'))}`
}

function packetType(info: StructureReader): string | undefined {
  const type = packetTypes[info.u32(0)]
  return type && `pkttype ${option(info.flag(4), '--pkt-type', type)}`
}

function statistic(info: StructureReader): string | undefined {
  const [mode, not, first, packet] = [info.u16(0), info.flag(2), info.u32(4), info.u32(8)]
  // Skips the initial value of the match module's packet counter, which is not an option.
  info.u32(12)
  if (mode === 1) {
    return `statistic --mode nth ${option(not, '--every', first + 1)} --packet ${packet}`
  }
  const share = (first / 2 ** 31).toFixed(11)
  return mode === 0 && packet === 0 ? `statistic --mode random ${option(not, '--probability', share)}` : undefined
}

function socket(info: StructureReader): string | undefined {
  const flags = wordsOf(socketBits, info.u8(0))
  return flags && words('socket', ...flags.map((flag) => `--${flag}`))
}

function icmp(info: StructureReader, module: 'icmp' | 'icmp6', name: string): string | undefined {
  const [type, first, last, not] = [info.u8(0), info.u8(1), info.u8(2), info.flag(3)]
  const all = first === 0 && last === 255
  const any = type === 255 && module === 'icmp'
  if (!all && (any || first !== last)) return undefined
  return `${module} ${option(not, name, any ? 'any' : `${type}${all ? '' : `/${first}`}`)}`
}
