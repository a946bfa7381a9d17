import { NetnsError } from '../../handle/netns-error.ts'
import { attributeMap } from '../../netlink/decode.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { cString, readCString, readU32, u32 } from '../../netlink/values.ts'
import { checkInteger, describeValue } from '../check.ts'
import type { FilterPosition, NewFilter, OldFilter } from '../port/arguments.ts'
import type { Filter } from '../port/filter.ts'
import { TCA_KIND, TCA_OPTIONS, trafficAttributes, trafficHeader } from '../qdisc/codec.ts'

// Constants from the kernel headers <linux/pkt_cls.h> and <linux/pkt_sched.h>.
const TCA_BPF_FD = 6
const TCA_BPF_NAME = 7
const TCA_BPF_FLAGS = 8
const TCA_BPF_TAG = 10
const TCA_BPF_ID = 11
const TCA_BPF_FLAG_ACT_DIRECT = 1
const NAME_BYTES = 255
const PARENTS: Readonly<Record<Filter['direction'], number>> = { ingress: 0xfffffff2, egress: 0xfffffff3 }
const ETH_P_ALL = 3

/** Encodes the fixed part of a netlink request that lists the traffic filters (tc) of one direction of a link. */
export function filterQuery(linkIndex: number, direction: Filter['direction']): Uint8Array {
  return trafficHeader(linkIndex, 0, parentOf(direction))
}

/** Encodes a netlink request that adds a bpf traffic filter. Throws `NetnsError('INVALID')`. */
export function encodeFilter(filter: NewFilter, linkIndex: number): { fixed: Uint8Array; attributes: Attribute[] } {
  const { name } = filter
  if (typeof name !== 'string' || name === '' || Buffer.byteLength(name) > NAME_BYTES) {
    throw new NetnsError('INVALID', `Invalid filter name: ${describeValue(name)}; expected 1 to ${NAME_BYTES} bytes`)
  }
  const options: Attribute[] = [
    [TCA_BPF_FD, u32(checkInteger(filter.program, 0, 0x7fffffff, 'program, a descriptor'))],
    [TCA_BPF_NAME, cString(name)],
    [TCA_BPF_FLAGS, u32(TCA_BPF_FLAG_ACT_DIRECT)],
  ]
  const attributes: Attribute[] = [
    [TCA_KIND, cString('bpf')],
    [TCA_OPTIONS, options],
  ]
  return { fixed: filterHeader(filter, linkIndex), attributes }
}

/** Encodes a netlink request that deletes a traffic filter. Throws `NetnsError('INVALID')`. */
export function encodeOldFilter(
  { kind = 'bpf', ...position }: OldFilter & OfProtocol,
  linkIndex: number,
): { fixed: Uint8Array; attributes: Attribute[] } {
  return { fixed: filterHeader(position, linkIndex), attributes: [[TCA_KIND, cString(kind)]] }
}

/** Decodes a traffic filter. Returns `undefined` for a message that only begins a list. */
export function decodeFilter(body: Buffer): Filter | undefined {
  const attributes = trafficAttributes(body)
  const handle = body.readUInt32LE(8)
  const options = attributes.get(TCA_OPTIONS)
  if (handle === 0 || options === undefined) return undefined
  const info = body.readUInt32LE(16)
  const kind = readCString(attributes.get(TCA_KIND)) ?? ''
  return {
    linkIndex: body.readInt32LE(4),
    direction: body.readUInt32LE(12) === PARENTS.egress ? 'egress' : 'ingress',
    kind,
    priority: info >>> 16,
    protocol: swapped(info & 0xffff),
    handle,
    ...(kind === 'bpf' ? decodeBpf(options) : {}),
  }
}

function decodeBpf(bytes: Buffer): Pick<Filter, 'name' | 'program' | 'directAction'> {
  const options = attributeMap(bytes)
  const name = readCString(options.get(TCA_BPF_NAME))
  const [id, tag] = [readU32(options.get(TCA_BPF_ID)), options.get(TCA_BPF_TAG)]
  return {
    ...(name === undefined ? {} : { name }),
    ...(id === undefined || tag === undefined ? {} : { program: { id, tag: tag.toString('hex') } }),
    directAction: ((readU32(options.get(TCA_BPF_FLAGS)) ?? 0) & TCA_BPF_FLAG_ACT_DIRECT) !== 0,
  }
}

type OfProtocol = { readonly protocol?: number | undefined }

function filterHeader(position: FilterPosition & OfProtocol, linkIndex: number): Buffer {
  const { direction, priority = 1, handle = 1, protocol = ETH_P_ALL } = position
  checkInteger(priority, 1, 0xffff, 'priority')
  checkInteger(handle, 1, 0xffffffff, 'handle')
  return trafficHeader(linkIndex, handle, parentOf(direction), priority * 0x10000 + swapped(protocol))
}

function parentOf(direction: Filter['direction']): number {
  if (Object.hasOwn(PARENTS, direction)) return PARENTS[direction]
  throw new NetnsError('INVALID', `Unknown direction: ${describeValue(direction)}; expected ingress or egress`)
}

/** Swaps a 16-bit number between host and network byte order. */
const swapped = (protocol: number): number => ((protocol & 0xff) << 8) | ((protocol >> 8) & 0xff)
