import { type Attribute, attributeMap, cString, readBe16, readBe32, readCString, readU32 } from '@cni/netns/netlink'
import { SetError } from '../errors.ts'
import { maxelemOf, rangeOf } from '../spec.ts'
import type { SetInfo, SetSpec } from '../spec-types.ts'
import { type EntryAttributes, hexWord, readAddress } from './entry-fields.ts'
import {
  ATTR_BITMASK,
  ATTR_CADT_FLAGS,
  ATTR_DATA,
  ATTR_ELEMENTS,
  ATTR_FAMILY,
  ATTR_HASHSIZE,
  ATTR_IP,
  ATTR_IP_TO,
  ATTR_MARKMASK,
  ATTR_MAXELEM,
  ATTR_NETMASK,
  ATTR_PORT,
  ATTR_PORT_TO,
  ATTR_REFERENCES,
  ATTR_REVISION,
  ATTR_SETNAME,
  ATTR_SIZE,
  ATTR_TIMEOUT,
  ATTR_TYPENAME,
  FLAG_WITH_COMMENT,
  FLAG_WITH_COUNTERS,
  FLAG_WITH_FORCEADD,
  FLAG_WITH_SKBINFO,
  nameAttribute,
  number16,
  number32,
} from './protocol.ts'

const AF_INET = 2
const AF_INET6 = 10

/** Map from a set's type to the revision to create. With later revisions, an older `ipset` could list no set at all. */
const revisions: Readonly<Record<SetSpec['type'], number>> = {
  'hash:ip': 2,
  'hash:net': 4,
  'hash:ip,port': 3,
  'hash:net,port': 5,
  'hash:mac': 0,
  'list:set': 2,
  'bitmap:port': 2,
}

/** Netlink attributes of the request that creates a set. */
export function createAttributes(name: string, spec: SetSpec): Attribute[] {
  const family = 'family' in spec ? (spec.family === 'ipv4' ? AF_INET : AF_INET6) : 0
  return [
    nameAttribute(name),
    [ATTR_TYPENAME, cString(spec.type)],
    [ATTR_REVISION, Uint8Array.of(revisions[spec.type])],
    [ATTR_FAMILY, Uint8Array.of(family)],
    [ATTR_DATA, [...sizeAttributes(spec), ...extensionAttributes(spec)]],
  ]
}

/** Decodes a set's properties from a message. `undefined` for a message that has only further entries. */
export function readHeader(body: EntryAttributes): SetInfo | undefined {
  const type = readCString(body.get(ATTR_TYPENAME))
  if (type === undefined) return undefined
  const name = readCString(body.get(ATTR_SETNAME))
  const nested = body.get(ATTR_DATA)
  if (name === undefined || nested === undefined) {
    throw new SetError('PARSE', `the kernel reports a ${type} set without its ${name === undefined ? 'name' : 'data'}`)
  }
  const data = attributeMap(nested)
  const family = body.get(ATTR_FAMILY)?.[0]
  const flags = readBe32(data.get(ATTR_CADT_FLAGS)) ?? 0
  const maxelem = readBe32(data.get(ATTR_MAXELEM))
  const timeoutSeconds = readBe32(data.get(ATTR_TIMEOUT))
  const range = rangeIn(data)
  return {
    name,
    type,
    ...(type.startsWith('hash:') && family === AF_INET && { family: 'ipv4' }),
    ...(type.startsWith('hash:') && family === AF_INET6 && { family: 'ipv6' }),
    ...(range !== undefined && { range }),
    ...(maxelem !== undefined && { maxelem }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...((flags & FLAG_WITH_COUNTERS) !== 0 && { counters: true }),
    ...((flags & FLAG_WITH_COMMENT) !== 0 && { comment: true }),
    other: otherWords(data, flags),
    references: readBe32(data.get(ATTR_REFERENCES)) ?? 0,
    entryCount: readBe32(data.get(ATTR_ELEMENTS)) ?? 0,
  }
}

// internal

function sizeAttributes(spec: SetSpec): Attribute[] {
  if (spec.type === 'bitmap:port') {
    const [from, to] = rangeOf(spec)
    return [number16(ATTR_PORT, from), number16(ATTR_PORT_TO, to)]
  }
  if (spec.type === 'list:set') return [number32(ATTR_SIZE, spec.size ?? 8)]
  const maxelem = number32(ATTR_MAXELEM, maxelemOf(spec))
  return spec.hashsize === undefined ? [maxelem] : [number32(ATTR_HASHSIZE, spec.hashsize), maxelem]
}

function extensionAttributes({ timeoutSeconds, comment, counters }: SetSpec): Attribute[] {
  const flags = (comment === true ? FLAG_WITH_COMMENT : 0) | (counters === true ? FLAG_WITH_COUNTERS : 0)
  return [
    ...(timeoutSeconds === undefined ? [] : [number32(ATTR_TIMEOUT, timeoutSeconds)]),
    ...(flags === 0 ? [] : [number32(ATTR_CADT_FLAGS, flags)]),
  ]
}

/** Range of ports or addresses that a set of a bitmap type can hold. */
function rangeIn(data: EntryAttributes): string | undefined {
  const from = readBe16(data.get(ATTR_PORT)) ?? readAddress(data.get(ATTR_IP))
  return from === undefined
    ? undefined
    : `${from}-${readBe16(data.get(ATTR_PORT_TO)) ?? readAddress(data.get(ATTR_IP_TO))}`
}

/** Options that this package never sets, in the spelling of `ipset save`, such as `netmask 24`. */
function otherWords(data: EntryAttributes, flags: number): string[] {
  const netmask = data.get(ATTR_NETMASK)?.[0]
  const bitmask = readAddress(data.get(ATTR_BITMASK))
  // Reads `markmask` in host byte order. The kernel reports all other numbers in network byte order.
  const markmask = readU32(data.get(ATTR_MARKMASK))
  return [
    ...(netmask === undefined ? [] : ['netmask', String(netmask)]),
    ...(bitmask === undefined ? [] : ['bitmask', bitmask]),
    ...(markmask === undefined ? [] : ['markmask', hexWord(markmask)]),
    ...((flags & FLAG_WITH_FORCEADD) !== 0 ? ['forceadd'] : []),
    ...((flags & FLAG_WITH_SKBINFO) !== 0 ? ['skbinfo'] : []),
  ]
}
