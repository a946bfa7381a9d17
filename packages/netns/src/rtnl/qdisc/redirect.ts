import { isNetnsError, NetnsError } from '../../handle/netns-error.ts'
import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL } from '../../netlink/constants.ts'
import { attributeMap } from '../../netlink/decode.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { cString, readCString } from '../../netlink/values.ts'
import { unlessAlready } from '../already.ts'
import { checkInteger } from '../check.ts'
import { RTM_DELTFILTER, RTM_GETTFILTER, RTM_NEWTFILTER } from '../constants.ts'
import { getLinks, linkIndex } from '../link/requests.ts'
import { linkText } from '../link/wire.ts'
import type { NewRedirect, QdiscFilter, Redirect } from '../port/arguments.ts'
import { linkOf } from '../port/on-link.ts'
import { TCA_KIND, TCA_OPTIONS, trafficAttributes, trafficHeader } from './codec.ts'

// Constants from the kernel headers <linux/pkt_cls.h> and <linux/tc_act/tc_mirred.h>.
const TCA_U32_SEL = 5
const TCA_U32_ACT = 7
const TCA_ACT_KIND = 1
const TCA_ACT_OPTIONS = 2
const TCA_MIRRED_PARMS = 2
const TC_U32_TERMINAL = 1
const TC_ACT_STOLEN = 4
const TCA_EGRESS_REDIR = 1
const MIRRED = 28
/** Kernel number for the parent of ingress filters, in both qdiscs `ingress` and `clsact`. */
const INGRESS = 0xfffffff2
/** EtherType for packets of all protocols, in network byte order. */
const ETH_P_ALL = 0x0300

/** Redirection of a link's packets, with the kernel's handle of the filter that implements the redirection. */
interface Found extends Redirect {
  readonly handle: number
}

export function getRedirects(channel: RequestChannel, { link }: QdiscFilter): Redirect[] {
  const indexes =
    link === undefined ? getLinks(channel).map(({ index }) => index) : [linkIndex(channel, link, 'List redirections')]
  return indexes.flatMap((index) => findRedirects(channel, index).map(({ handle: _, ...redirect }) => redirect))
}

export function addRedirect(channel: RequestChannel, redirect: NewRedirect): boolean {
  const { what, index, to, priority } = prepare(channel, 'Redirect', redirect)
  if (findRedirects(channel, index).some((each) => each.to === to && each.priority === priority)) return false
  const fixed = trafficHeader(index, 0, INGRESS, infoOf(priority))
  try {
    const flags = NLM_F_CREATE | NLM_F_EXCL
    channel.ask({ type: RTM_NEWTFILTER, flags, fixed, attributes: encodeFilter(to), what })
    return true
  } catch (error) {
    if (!isNetnsError(error) || error.code !== 'EINVAL') throw error
    throw new NetnsError(error.code, `${error.message} (the link needs the qdisc ingress or clsact)`, { cause: error })
  }
}

export function deleteRedirect(channel: RequestChannel, redirect: NewRedirect): boolean {
  const { what, index, to, priority } = prepare(channel, 'Delete the redirection of', redirect)
  const found = findRedirects(channel, index).find((each) => each.to === to && each.priority === priority)
  if (found === undefined) return false
  const fixed = trafficHeader(index, found.handle, INGRESS, infoOf(priority))
  const attributes: Attribute[] = [[TCA_KIND, cString('u32')]]
  return unlessAlready(['ENOENT'], () => channel.ask({ type: RTM_DELTFILTER, fixed, attributes, what }))
}

function findRedirects(channel: RequestChannel, index: number): Found[] {
  const fixed = trafficHeader(index, 0, INGRESS)
  return channel
    .dump({ type: RTM_GETTFILTER, fixed, what: 'List redirections' })
    .flatMap(({ body }) => decodeFilter(body) ?? [])
}

/** Encodes a u32 filter that matches all packets: its single key has an empty mask. */
function encodeFilter(to: number): Attribute[] {
  const selector = Buffer.alloc(32)
  selector[0] = TC_U32_TERMINAL
  selector[2] = 1
  const parameters = Buffer.alloc(MIRRED)
  parameters.writeInt32LE(TC_ACT_STOLEN, 8)
  parameters.writeInt32LE(TCA_EGRESS_REDIR, 20)
  parameters.writeUInt32LE(to, 24)
  const action: Attribute[] = [
    [TCA_ACT_KIND, cString('mirred')],
    [TCA_ACT_OPTIONS, [[TCA_MIRRED_PARMS, parameters]]],
  ]
  return [
    [TCA_KIND, cString('u32')],
    [
      TCA_OPTIONS,
      [
        [TCA_U32_SEL, selector],
        [TCA_U32_ACT, [[1, action]]],
      ],
    ],
  ]
}

/** Decodes a traffic filter that redirects all packets. Returns `undefined` for other filters. */
function decodeFilter(body: Buffer): Found | undefined {
  const attributes = trafficAttributes(body)
  const options = attributes.get(TCA_OPTIONS)
  if (readCString(attributes.get(TCA_KIND)) !== 'u32' || options === undefined) return undefined
  const filter = attributeMap(options)
  const selector = filter.get(TCA_U32_SEL)
  const to = mirredTo(filter.get(TCA_U32_ACT))
  const isOfAll =
    selector !== undefined && selector.length >= 32 && selector[2] === 1 && selector.readUInt32LE(16) === 0
  if (to === undefined || !isOfAll) return undefined
  const info = body.readUInt32LE(16)
  return { linkIndex: body.readInt32LE(4), to, priority: info >>> 16, handle: body.readUInt32LE(8) }
}

function mirredTo(actions: Buffer | undefined): number | undefined {
  const first = actions === undefined ? undefined : attributeMap(actions).get(1)
  const action = first === undefined ? undefined : attributeMap(first)
  const options = action?.get(TCA_ACT_OPTIONS)
  if (readCString(action?.get(TCA_ACT_KIND)) !== 'mirred' || options === undefined) return undefined
  const parameters = attributeMap(options).get(TCA_MIRRED_PARMS)
  if (parameters === undefined || parameters.length < MIRRED) return undefined
  return parameters.readInt32LE(20) === TCA_EGRESS_REDIR ? parameters.readUInt32LE(24) : undefined
}

const infoOf = (priority: number): number => priority * 0x10000 + ETH_P_ALL

function prepare(channel: RequestChannel, verb: string, redirect: NewRedirect) {
  const priority = checkInteger(redirect.priority ?? 1, 1, 0xffff, 'priority')
  const link = linkOf(redirect, verb)
  const what = `${verb} ${linkText(link)} to ${linkText(redirect.to)}`
  return {
    what,
    priority,
    index: linkIndex(channel, link, what),
    to: linkIndex(channel, redirect.to, what),
  }
}
