import type { IpFamily } from '@cni/types/ip'
import { encodeAttributes } from '../../netlink/encode.ts'
import { encodeVlans } from '../../rtnl/bridge-vlan/codec.ts'
import { missingVlans } from '../../rtnl/bridge-vlan/requests.ts'
import { checkInteger } from '../../rtnl/check.ts'
import { linkText } from '../../rtnl/link/wire.ts'
import { decodeNeighbour, encodeNeighbour } from '../../rtnl/neighbour/codec.ts'
import { checkMac, neighbourDifference } from '../../rtnl/neighbour/requests.ts'
import type {
  BridgeVlanFilter,
  NeighbourFilter,
  NewBridgeVlan,
  NewNeighbour,
  NewRedirect,
  OldQdisc,
  QdiscFilter,
  RuleFilter,
} from '../../rtnl/port/arguments.ts'
import { linkOf, type OnLink } from '../../rtnl/port/on-link.ts'
import type { QdiscToAdd } from '../../rtnl/port/qdisc.ts'
import type { NewPolicyRule, PolicyRule } from '../../rtnl/port/rule.ts'
import { encodeQdisc, parentOf } from '../../rtnl/qdisc/codec.ts'
import { qdiscAt, qdiscDifference } from '../../rtnl/qdisc/requests.ts'
import { limitOf } from '../../rtnl/qdisc/tbf.ts'
import { decodeRule, encodeRule, isRule } from '../../rtnl/rule/codec.ts'
import { ruleFilter } from '../../rtnl/rule/requests.ts'
import { type Device, type Namespace, refusal, requireDevice } from './world.ts'

export function listRules({ rules }: Namespace, filter: RuleFilter | IpFamily): PolicyRule[] {
  const { family, table } = ruleFilter(filter)
  return rules.filter(
    (rule) => (family === undefined || rule.family === family) && (table === undefined || rule.table === table),
  )
}

export function putRule(netns: Namespace, wanted: NewPolicyRule): boolean {
  const message = encodeRule(wanted)
  if (findRule(netns, wanted) !== undefined) return false
  const read = decodeRule(encodeAttributes(message.attributes, message.fixed))
  if (read === undefined) return false
  const own = listRules(netns, wanted.family)
  // Default priority of a routing rule, as in the kernel: one less than the lowest existing priority above 0.
  const priority = wanted.priority ?? Math.max(0, (own.find((rule) => rule.priority > 0)?.priority ?? 1) - 1)
  // The kernel reports the full mask for a rule that has a mark but no mask.
  const mask = read.fwmark === undefined ? {} : { mask: read.mask ?? 0xffffffff }
  netns.rules.push({ ...read, ...mask, priority })
  netns.rules.sort((a, b) => a.family.localeCompare(b.family) || a.priority - b.priority)
  return true
}

export function dropRule(netns: Namespace, wanted: NewPolicyRule): boolean {
  encodeRule(wanted)
  const rule = findRule(netns, wanted)
  if (rule !== undefined) netns.rules.splice(netns.rules.indexOf(rule), 1)
  return rule !== undefined
}

function findRule({ rules }: Namespace, wanted: NewPolicyRule): PolicyRule | undefined {
  return rules.find((rule) => {
    const { fixed, attributes } = encodeRule(rule)
    return isRule(encodeAttributes(attributes, fixed), wanted)
  })
}

export function listNeighbours(netns: Namespace, { link, family, proxy = false }: NeighbourFilter) {
  const isOf = onLink(netns, link, 'List neighbours')
  return netns.neighbours.filter(
    (each) => each.proxy === proxy && isOf(each) && (family === undefined || each.family === family),
  )
}

export function putNeighbour(netns: Namespace, wanted: NewNeighbour, replace = false): boolean {
  const verb = replace ? 'Replace' : 'Add'
  const { what, device } = prepare(netns, `${verb} neighbour ${JSON.stringify(wanted.address)}`, wanted, ' on', () =>
    encodeNeighbour(wanted, 1),
  )
  checkMac(wanted, what)
  const message = encodeNeighbour(wanted, device.index)
  const read = decodeNeighbour(encodeAttributes(message.attributes, message.fixed))
  if (read === undefined) return false
  const there = netns.neighbours.find((each) => isSame(each, read))
  if (there !== undefined && !replace) {
    const difference = neighbourDifference([there], wanted)
    if (difference === undefined) return false
    throw refusal(what, 'EEXIST', difference)
  }
  netns.neighbours = [...netns.neighbours.filter((each) => each !== there), read]
  return true
}

export function dropNeighbour(netns: Namespace, wanted: NewNeighbour): boolean {
  const name = `Delete neighbour ${JSON.stringify(wanted.address)}`
  const { device } = prepare(netns, name, wanted, ' on', () => encodeNeighbour(wanted, 1))
  const message = encodeNeighbour(wanted, device.index)
  const read = decodeNeighbour(encodeAttributes(message.attributes, message.fixed))
  const left = netns.neighbours.filter((each) => read === undefined || !isSame(each, read))
  const deleted = left.length < netns.neighbours.length
  netns.neighbours = left
  return deleted
}

type Key = { readonly address: string; readonly linkIndex: number; readonly proxy: boolean }
const isSame = (a: Key, b: Key): boolean =>
  a.address === b.address && a.linkIndex === b.linkIndex && a.proxy === b.proxy

export function listVlans(netns: Namespace, { link }: BridgeVlanFilter) {
  return netns.vlans.filter(onLink(netns, link, 'List VLANs of bridges'))
}

export function putVlan(netns: Namespace, wanted: NewBridgeVlan): boolean {
  const { what, device } = prepareVlan(netns, 'Add', wanted)
  const { vid, lastVid = vid, pvid = false, untagged = false } = wanted
  const { index: linkIndex } = device
  const own = netns.vlans.filter((each) => each.linkIndex === linkIndex)
  const missing = missingVlans(own, wanted, what)
  // A bridge port has at most one VLAN for untagged frames (PVID): the new one replaces the old one.
  if (pvid && missing.length > 0)
    netns.vlans = netns.vlans.map((each) => (each.linkIndex === linkIndex ? { ...each, pvid: false } : each))
  for (const id of missing) netns.vlans.push({ linkIndex, vid: id, pvid: pvid && id === lastVid, untagged })
  netns.vlans.sort((a, b) => a.linkIndex - b.linkIndex || a.vid - b.vid)
  return missing.length > 0
}

export function dropVlan(netns: Namespace, wanted: NewBridgeVlan): boolean {
  const { device } = prepareVlan(netns, 'Delete', wanted)
  const { vid, lastVid = vid } = wanted
  const left = netns.vlans.filter((each) => each.linkIndex !== device.index || each.vid < vid || each.vid > lastVid)
  const deleted = left.length < netns.vlans.length
  netns.vlans = left
  return deleted
}

function prepareVlan(netns: Namespace, verb: string, vlan: NewBridgeVlan) {
  const prepared = prepare(netns, `${verb} VLAN ${vlan.vid}`, vlan, ' of', () => encodeVlans(vlan, 1, false))
  if (prepared.device.settings.kind !== 'bridge' && prepared.device.master === undefined) {
    throw refusal(prepared.what, 'EOPNOTSUPP', 'it is neither a bridge nor a port of one')
  }
  return prepared
}

export function listQdiscs(netns: Namespace, { link }: QdiscFilter) {
  return netns.qdiscs.filter(onLink(netns, link, 'List qdiscs'))
}

export function putQdisc(netns: Namespace, wanted: QdiscToAdd, replace = false): boolean {
  const verb = replace ? 'Replace' : 'Add'
  const { what, device } = prepare(netns, `${verb} qdisc ${wanted.kind}`, wanted, ' of', () => encodeQdisc(wanted, 1))
  const parent = parentOf(wanted)
  const own = netns.qdiscs.filter(({ linkIndex }) => linkIndex === device.index)
  if (parent !== 'root' && parent !== 'ingress') throw refusal(what, 'ENOENT', 'Failed to find specified qdisc')
  const there = qdiscAt(own, parent)
  if (there !== undefined && !replace) {
    const difference = qdiscDifference(there, wanted)
    if (difference === undefined) return false
    throw refusal(what, 'EEXIST', difference)
  }
  netns.qdiscs = netns.qdiscs.filter((qdisc) => qdisc !== there)
  netns.qdiscs.push({
    linkIndex: device.index,
    kind: wanted.kind,
    handle: parent === 'ingress' ? 'ffff:' : (wanted.handle ?? '8001:'),
    parent,
    ...(wanted.tbf === undefined ? {} : { tbf: tbfOf(wanted.tbf) }),
  })
  return true
}

function tbfOf(tbf: NonNullable<QdiscToAdd['tbf']>) {
  const { bitsPerSecond, burstBytes } = tbf
  return { bitsPerSecond: bitsPerSecond - (bitsPerSecond % 8), burstBytes, limitBytes: limitOf(tbf) }
}

export function dropQdisc(netns: Namespace, wanted: OldQdisc): boolean {
  const parent = parentOf(wanted)
  const { device } = prepare(netns, `Delete qdisc ${parent}`, wanted, ' of', () => {})
  const there = qdiscAt(listQdiscs(netns, { link: device.index }), parent)
  if (there === undefined || (wanted.kind !== undefined && wanted.kind !== there.kind)) return false
  netns.qdiscs = netns.qdiscs.filter((qdisc) => qdisc !== there)
  if (parent === 'ingress') {
    const elsewhere = ({ linkIndex }: { readonly linkIndex: number }) => linkIndex !== device.index
    netns.redirects = netns.redirects.filter(elsewhere)
    netns.filters = netns.filters.filter(elsewhere)
  }
  return true
}

export function listRedirects(netns: Namespace, { link }: QdiscFilter) {
  return netns.redirects.filter(onLink(netns, link, 'List redirections'))
}

export function putRedirect(netns: Namespace, wanted: NewRedirect): boolean {
  const { what, redirect } = redirectOf(netns, 'Redirect', wanted)
  if (netns.redirects.some((each) => isSameRedirect(each, redirect))) return false
  if (qdiscAt(listQdiscs(netns, { link: redirect.linkIndex }), 'ingress') === undefined) {
    throw refusal(what, 'EINVAL', "Parent Qdisc doesn't exists (the link needs the qdisc ingress or clsact)")
  }
  netns.redirects.push(redirect)
  return true
}

export function dropRedirect(netns: Namespace, wanted: NewRedirect): boolean {
  const { redirect } = redirectOf(netns, 'Delete the redirection of', wanted)
  const left = netns.redirects.filter((each) => !isSameRedirect(each, redirect))
  const deleted = left.length < netns.redirects.length
  netns.redirects = left
  return deleted
}

function redirectOf(netns: Namespace, verb: string, wanted: NewRedirect) {
  const priority = checkInteger(wanted.priority ?? 1, 1, 0xffff, 'priority')
  const what = `${verb} ${linkText(linkOf(wanted, verb))} to ${linkText(wanted.to)}`
  const linkIndex = requireDevice(netns, linkOf(wanted, verb), what).index
  return { what, redirect: { linkIndex, to: requireDevice(netns, wanted.to, what).index, priority } }
}

type RedirectKey = { readonly linkIndex: number; readonly to: number; readonly priority: number }
const isSameRedirect = (a: RedirectKey, b: RedirectKey): boolean =>
  a.linkIndex === b.linkIndex && a.to === b.to && a.priority === b.priority

export function onLink(netns: Namespace, link: OnLink['link'], what: string) {
  const index = link === undefined ? undefined : requireDevice(netns, link, what).index
  return ({ linkIndex }: { readonly linkIndex: number }): boolean => index === undefined || linkIndex === index
}

export function prepare(
  netns: Namespace,
  name: string,
  thing: OnLink,
  preposition: string,
  check: () => unknown,
): { what: string; device: Device } {
  const link = linkOf(thing, name)
  const what = `${name}${preposition} ${linkText(link)}`
  check()
  return { what, device: requireDevice(netns, link, what) }
}
