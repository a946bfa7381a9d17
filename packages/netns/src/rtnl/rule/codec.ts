import type { IpFamily } from '@cni/types/ip'
import { formatAddress, networkAddress } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import { attributeMap } from '../../netlink/decode.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { cString, readCString, readU32, u32 } from '../../netlink/values.ts'
import { checkInteger } from '../check.ts'
import { familyName, familyNumber, familyQuery, formatPrefix, parsePrefix } from '../ip.ts'
import type { NewPolicyRule, PolicyRule } from '../port/rule.ts'

// Unsupported selectors of policy routing rules: tunnel, l3mdev, oif, uid range, ports.
const OTHER_SELECTORS = [12, 17, 19, 20, 22, 23, 24]

const MAX_U32 = 0xffffffff

const FIB_RULE_HDR = 12
const FR_ACT_TO_TBL = 1
const FR_ACT_GOTO = 2
const FIB_RULE_INVERT = 0x2

const FRA_DST = 1
const FRA_SRC = 2
const FRA_IIFNAME = 3
const FRA_GOTO = 4
const FRA_PRIORITY = 6
const FRA_FWMARK = 10
const FRA_TABLE = 15
const FRA_FWMASK = 16

/** Encodes the fixed part of a netlink request that lists the policy routing rules of an address family. */
export const ruleQuery = (family: IpFamily): Uint8Array => familyQuery(FIB_RULE_HDR, family)

/** Encodes a netlink request that adds or deletes a policy routing rule. Throws `NetnsError('INVALID')`. */
export function encodeRule(rule: NewPolicyRule): { fixed: Uint8Array; attributes: Attribute[] } {
  const fixed = Buffer.alloc(FIB_RULE_HDR)
  const attributes: Attribute[] = [[FRA_TABLE, u32(checkInteger(rule.table, 0, MAX_U32, 'table'))]]
  fixed[0] = familyNumber(rule.family)
  fixed[4] = rule.table < 256 ? rule.table : 0
  fixed[7] = actionOf(rule)
  fixed.writeUInt32LE(rule.invert ? FIB_RULE_INVERT : 0, 8)
  for (const [text, type, at] of [
    [rule.to, FRA_DST, 1],
    [rule.from, FRA_SRC, 2],
  ] as const) {
    if (text === undefined) continue
    const prefix = parsePrefix(text)
    if (prefix.family !== rule.family) {
      throw new NetnsError(
        'INVALID',
        `${JSON.stringify(text)} is not an ${rule.family} prefix, the rule is ${rule.family}`,
      )
    }
    fixed[at] = prefix.length
    attributes.push([type, networkAddress(prefix)])
  }
  if (rule.goto !== undefined) attributes.push([FRA_GOTO, u32(checkInteger(rule.goto, 1, MAX_U32, 'goto'))])
  if (rule.priority !== undefined)
    attributes.push([FRA_PRIORITY, u32(checkInteger(rule.priority, 0, MAX_U32, 'priority'))])
  if (rule.fwmark !== undefined) attributes.push([FRA_FWMARK, u32(checkInteger(rule.fwmark, 0, MAX_U32, 'fwmark'))])
  if (rule.mask !== undefined) attributes.push([FRA_FWMASK, u32(checkInteger(rule.mask, 0, MAX_U32, 'mask'))])
  if (rule.iif !== undefined) attributes.push([FRA_IIFNAME, cString(rule.iif)])
  return { fixed, attributes }
}

/**
 * True if a policy routing rule equals the wanted one. The kernel's own comparison ignores some members, such as
 * further selectors.
 */
export function isRule(body: Buffer, wanted: NewPolicyRule): boolean {
  const rule = decodeRule(body)
  const attributes = attributeMap(body, FIB_RULE_HDR)
  if (rule === undefined || body.readUInt8(3) !== 0 || body.readUInt8(7) !== actionOf(wanted)) return false
  if (OTHER_SELECTORS.some((type) => attributes.has(type))) return false
  const marked = wanted.fwmark !== undefined || wanted.mask !== undefined
  return (
    rule.family === wanted.family &&
    rule.table === wanted.table &&
    rule.goto === wanted.goto &&
    (wanted.priority === undefined || rule.priority === wanted.priority) &&
    (rule.fwmark ?? 0) === (wanted.fwmark ?? 0) >>> 0 &&
    (rule.mask ?? 0) === (marked ? (wanted.mask ?? 0xffffffff) >>> 0 : 0) &&
    rule.from === normalised(wanted.from) &&
    rule.to === normalised(wanted.to) &&
    rule.iif === wanted.iif &&
    rule.invert === (wanted.invert ?? false)
  )
}

/** Decodes a policy routing rule. Returns `undefined` for a family other than IPv4 and IPv6. */
export function decodeRule(body: Buffer): PolicyRule | undefined {
  const attributes = attributeMap(body, FIB_RULE_HDR)
  const family = familyName(body.readUInt8(0))
  if (family === undefined) return undefined
  const fwmark = readU32(attributes.get(FRA_FWMARK))
  const mask = readU32(attributes.get(FRA_FWMASK))
  const from = attributes.get(FRA_SRC)
  const to = attributes.get(FRA_DST)
  const iif = readCString(attributes.get(FRA_IIFNAME))
  const goto = readU32(attributes.get(FRA_GOTO))
  return {
    family,
    table: readU32(attributes.get(FRA_TABLE)) ?? body.readUInt8(4),
    priority: readU32(attributes.get(FRA_PRIORITY)) ?? 0,
    invert: (body.readUInt32LE(8) & FIB_RULE_INVERT) !== 0,
    ...(fwmark === undefined ? {} : { fwmark }),
    ...(mask === undefined ? {} : { mask }),
    ...(from === undefined ? {} : { from: `${formatAddress(from)}/${body.readUInt8(2)}` }),
    ...(to === undefined ? {} : { to: `${formatAddress(to)}/${body.readUInt8(1)}` }),
    ...(iif === undefined ? {} : { iif }),
    ...(goto === undefined ? {} : { goto }),
  }
}

const actionOf = ({ goto }: NewPolicyRule): number => (goto === undefined ? FR_ACT_TO_TBL : FR_ACT_GOTO)

function normalised(prefix: string | undefined): string | undefined {
  return prefix === undefined ? undefined : formatPrefix(parsePrefix(prefix))
}
