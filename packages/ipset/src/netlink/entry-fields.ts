import { be16, decodeAttributes, type MessageWriter, readBe16, readBe32, readCString } from '@cni/netns/netlink'
import { formatAddress, parseAddress, parsePrefix } from '@cni/types/ip'
import { protocolNumber, protocolWord } from '../entry.ts'
import {
  ATTR_CADT_FLAGS,
  ATTR_CIDR,
  ATTR_CIDR2,
  ATTR_ETHER,
  ATTR_IFACE,
  ATTR_IP,
  ATTR_IP2,
  ATTR_MARK,
  ATTR_NAME,
  ATTR_PORT,
  ATTR_PROTO,
  FLAG_PHYSDEV,
  NET_ORDER,
} from './protocol.ts'

/** Netlink attributes of one entry of a set, by attribute number. */
export type EntryAttributes = ReadonlyMap<number, Buffer>

/** Encoder and decoder for one field of an entry, such as the port in `10.0.0.5,tcp:80`. */
export interface EntryField {
  /** Encodes the text of the field as netlink attributes. For an invalid text, writes nothing and returns `false`. */
  write(writer: MessageWriter, text: string): boolean
  /** Decodes the field to text in the spelling of `ipset`. `undefined` if the entry lacks the field. */
  read(data: EntryAttributes): string | undefined
}

/** Encoders and decoders of an entry's fields, by set type. `undefined` for an unknown type. */
export function fieldsOf(type: string): readonly EntryField[] | undefined {
  const words = type.slice(type.indexOf(':') + 1).split(',')
  const fields = words.map((word, index) =>
    index > 0 && isAddress(word) && words.slice(0, index).some(isAddress)
      ? secondFields.get(word)
      : firstFields.get(word),
  )
  return fields.every((field) => field !== undefined) ? fields : undefined
}

/** Decodes an address from a nested netlink attribute to text. */
export function readAddress(attribute: Buffer | undefined): string | undefined {
  const bytes = attribute && decodeAttributes(attribute)[0]?.[1]
  return bytes?.length === 4 || bytes?.length === 16 ? formatAddress(bytes) : undefined
}

/** Formats a packet mark as `ipset` prints it, such as `0x00000001`. */
export const hexWord = (value: number): string => `0x${value.toString(16).padStart(8, '0')}`

// internal

const IPADDR_IPV4 = 1
const IPADDR_IPV6 = 2

function writeAddress(writer: MessageWriter, type: number, address: Uint8Array | undefined): boolean {
  if (address === undefined) return false
  writer
    .nest(type)
    .bytes((address.length === 4 ? IPADDR_IPV4 : IPADDR_IPV6) | NET_ORDER, address)
    .end()
  return true
}

const isAddress = (word: string) => word === 'ip' || word === 'net'

const ip = (type: number): EntryField => ({
  write: (writer, text) => writeAddress(writer, type, parseAddress(text)),
  read: (data) => readAddress(data.get(type)),
})

const net = (type: number, cidr: number): EntryField => ({
  write(writer, text) {
    const prefix = parsePrefix(text)
    if (!writeAddress(writer, type, prefix?.bytes)) return false
    writer.bytes(cidr, Uint8Array.of(prefix?.length ?? 0))
    return true
  },
  read(data) {
    const address = readAddress(data.get(type))
    const length = data.get(cidr)?.[0] ?? 128
    return address === undefined || length >= (address.includes(':') ? 128 : 32) ? address : `${address}/${length}`
  },
})

const ICMP = 1
const ICMPV6 = 58

const port: EntryField = {
  write(writer, text) {
    const [, word, high, low] = /^(?:(\w+):)?(\d{1,5})(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const value = low === undefined ? Number(high) : Number(high) * 256 + Number(low)
    const protocol = word === undefined ? undefined : protocolNumber(word)
    // Uses `!(x <= max)` for ports and protocols, because this form also rejects NaN.
    if (!(value <= 0xffff) || (protocol !== undefined && !(protocol <= 0xff))) return false
    writer.bytes(ATTR_PORT | NET_ORDER, be16(value))
    if (protocol !== undefined) writer.bytes(ATTR_PROTO, Uint8Array.of(protocol))
    return true
  },
  // Prints an unknown protocol as a number. `ipset` would look up its name in /etc/protocols.
  read(data) {
    const value = readBe16(data.get(ATTR_PORT))
    const protocol = data.get(ATTR_PROTO)?.[0]
    if (value === undefined || protocol === undefined) return value?.toString()
    const isIcmp = protocol === ICMP || protocol === ICMPV6
    return `${protocolWord(protocol)}:${isIcmp ? `${value >> 8}/${value & 255}` : value}`
  },
}

const ETH_ALEN = 6

const mac: EntryField = {
  write(writer, text) {
    const bytes = Buffer.from(text.replaceAll(':', ''), 'hex')
    if (bytes.length !== ETH_ALEN) return false
    writer.bytes(ATTR_ETHER, bytes)
    return true
  },
  read: (data) =>
    data
      .get(ATTR_ETHER)
      ?.toString('hex')
      .toUpperCase()
      .replace(/..(?=.)/g, '$&:'),
}

const set: EntryField = {
  write(writer, text) {
    writer.string(ATTR_NAME, text)
    return true
  },
  read: (data) => readCString(data.get(ATTR_NAME)),
}

/** Encoder of a field that this package can read but not write. */
const notWritable = () => false

const mark: EntryField = {
  write: notWritable,
  read(data) {
    const value = readBe32(data.get(ATTR_MARK))
    return value === undefined ? undefined : hexWord(value)
  },
}

const iface: EntryField = {
  write: notWritable,
  read(data) {
    const name = readCString(data.get(ATTR_IFACE))
    return name && ((readBe32(data.get(ATTR_CADT_FLAGS)) ?? 0) & FLAG_PHYSDEV ? `physdev:${name}` : name)
  },
}

const firstFields: ReadonlyMap<string, EntryField> = new Map([
  ['ip', ip(ATTR_IP)],
  ['net', net(ATTR_IP, ATTR_CIDR)],
  ...Object.entries({ port, mac, set, mark, iface }),
])

const secondFields: ReadonlyMap<string, EntryField> = new Map([
  ['ip', ip(ATTR_IP2)],
  ['net', net(ATTR_IP2, ATTR_CIDR2)],
])
