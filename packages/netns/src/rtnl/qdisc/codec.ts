import { NetnsError } from '../../handle/netns-error.ts'
import { attributeMap } from '../../netlink/decode.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { cString, readCString, u32 } from '../../netlink/values.ts'
import { checkInteger, describeValue } from '../check.ts'
import type { TbfOptions } from '../port/arguments.ts'
import type { Qdisc, QdiscToAdd } from '../port/qdisc.ts'
import { burstOf, limitOf, maxBurst } from './tbf.ts'

// Constants from the kernel headers <linux/pkt_sched.h> and <linux/rtnetlink.h>.
const TCMSG = 20
export const TCA_KIND = 1
export const TCA_OPTIONS = 2
const TCA_TBF_PARMS = 1
const TCA_TBF_RATE64 = 4
const TCA_TBF_BURST = 6
const TBF_QOPT = 36
const TC_LINKLAYER_ETHERNET = 1
const TC_H_ROOT = 0xffffffff
const TC_H_INGRESS = 0xfffffff1
const INGRESS_HANDLE = 0xffff0000

/** Encodes the fixed part (`tcmsg`) of a netlink message about qdiscs or traffic filters. */
export function trafficHeader(linkIndex: number, handle = 0, parent = 0, info = 0): Buffer {
  const fixed = Buffer.alloc(TCMSG)
  fixed.writeInt32LE(linkIndex, 4)
  fixed.writeUInt32LE(handle, 8)
  fixed.writeUInt32LE(parent, 12)
  fixed.writeUInt32LE(info >>> 0, 16)
  return fixed
}

/** Decodes the netlink attributes in a message about qdiscs or traffic filters. */
export const trafficAttributes = (body: Buffer): ReadonlyMap<number, Buffer> => attributeMap(body, TCMSG)

/** Encodes a netlink request that adds or deletes a qdisc. Throws `NetnsError('INVALID')`. */
export function encodeQdisc(qdisc: QdiscToAdd, linkIndex: number): { fixed: Uint8Array; attributes: Attribute[] } {
  const { kind, tbf } = qdisc
  const attributes: Attribute[] = [[TCA_KIND, cString(kind)]]
  if (kind === 'ingress' || kind === 'clsact') {
    return { fixed: trafficHeader(linkIndex, INGRESS_HANDLE, TC_H_INGRESS), attributes }
  }
  if (kind !== 'tbf' || tbf === undefined) {
    const why =
      kind === 'tbf'
        ? 'the member tbf with its options is missing'
        : `expected tbf, ingress or clsact, got ${describeValue(kind)}`
    throw new NetnsError('INVALID', `Unsupported qdisc: ${why}`)
  }
  attributes.push([TCA_OPTIONS, encodeTbf(tbf)])
  return { fixed: trafficHeader(linkIndex, handleNumber(qdisc.handle), parentNumber(parentOf(qdisc))), attributes }
}

/** Decodes the qdisc (queueing discipline) in a netlink message. */
export function decodeQdisc(body: Buffer): Qdisc {
  const attributes = trafficAttributes(body)
  const kind = readCString(attributes.get(TCA_KIND)) ?? ''
  const options = attributes.get(TCA_OPTIONS)
  const tbf = kind === 'tbf' && options !== undefined ? decodeTbf(options) : undefined
  return {
    linkIndex: body.readInt32LE(4),
    kind,
    handle: `${(body.readUInt32LE(8) >>> 16).toString(16)}:`,
    parent: parentText(body.readUInt32LE(12)),
    ...(tbf === undefined ? {} : { tbf }),
  }
}

/** Returns the parent of a qdisc. Default: `ingress` for the kinds `ingress` and `clsact`, otherwise `root`. */
export function parentOf({ kind, parent }: { kind?: string | undefined; parent?: string | undefined }): string {
  return parent ?? (kind === 'ingress' || kind === 'clsact' ? 'ingress' : 'root')
}

/** Returns the kernel number of a qdisc's parent. Throws `NetnsError('INVALID')`. */
export function parentNumber(parent: string): number {
  if (parent === 'root') return TC_H_ROOT
  return parent === 'ingress' ? TC_H_INGRESS : handleNumber(parent)
}

/**
 * Returns the kernel number of a qdisc's handle such as `1:` or `1:2`, whose parts are hexadecimal. Throws
 * `NetnsError('INVALID')`.
 */
export function handleNumber(handle = '0:'): number {
  const [, major, minor = ''] = /^([0-9a-f]{1,4}):([0-9a-f]{0,4})$/i.exec(handle) ?? []
  if (major === undefined)
    throw new NetnsError('INVALID', `Invalid handle: ${describeValue(handle)}; expected one like 1: or 1:2`)
  return (Number.parseInt(major, 16) * 0x10000 + (minor === '' ? 0 : Number.parseInt(minor, 16))) >>> 0
}

function encodeTbf(options: TbfOptions): Attribute[] {
  checkInteger(options.bitsPerSecond, 8, Number.MAX_SAFE_INTEGER, 'tbf.bitsPerSecond')
  const rate = Math.floor(options.bitsPerSecond / 8)
  const burst = checkInteger(options.burstBytes, 1, maxBurst(rate), 'tbf.burstBytes')
  const parameters = Buffer.alloc(TBF_QOPT)
  // The kernel requires a table of times if the token bucket lacks a link layer.
  parameters[1] = TC_LINKLAYER_ETHERNET
  parameters.writeUInt32LE(Math.min(rate, 0xffffffff), 8)
  parameters.writeUInt32LE(checkInteger(limitOf(options), 1, 0xffffffff, 'tbf.limitBytes'), 24)
  const attributes: Attribute[] = [
    [TCA_TBF_PARMS, parameters],
    [TCA_TBF_BURST, u32(burst)],
  ]
  if (rate > 0xffffffff) {
    const wide = Buffer.alloc(8)
    wide.writeBigUInt64LE(BigInt(rate))
    attributes.push([TCA_TBF_RATE64, wide])
  }
  return attributes
}

function decodeTbf(bytes: Buffer): TbfOptions | undefined {
  const options = attributeMap(bytes)
  const parameters = options.get(TCA_TBF_PARMS)
  if (parameters === undefined || parameters.length < TBF_QOPT) return undefined
  const wide = options.get(TCA_TBF_RATE64)
  const rate = wide === undefined || wide.length < 8 ? parameters.readUInt32LE(8) : Number(wide.readBigUInt64LE())
  // The kernel reports a token bucket's burst as a time in ticks.
  const ticks = parameters.readUInt32LE(28)
  return {
    bitsPerSecond: rate * 8,
    burstBytes: burstOf(ticks, rate),
    limitBytes: parameters.readUInt32LE(24),
  }
}

function parentText(number: number): string {
  if (number === TC_H_ROOT) return 'root'
  if (number === TC_H_INGRESS) return 'ingress'
  const minor = number & 0xffff
  return `${(number >>> 16).toString(16)}:${minor === 0 ? '' : minor.toString(16)}`
}
