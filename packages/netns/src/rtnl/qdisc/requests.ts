import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE } from '../../netlink/constants.ts'
import { unlessAlready } from '../already.ts'
import { describeValue } from '../check.ts'
import { RTM_DELQDISC, RTM_GETQDISC, RTM_NEWQDISC } from '../constants.ts'
import { prepareOnLink } from '../link/prepare-on-link.ts'
import { linkIndex } from '../link/requests.ts'
import { linkText } from '../link/wire.ts'
import type { OldQdisc, QdiscFilter } from '../port/arguments.ts'
import { linkOf } from '../port/on-link.ts'
import type { Qdisc, QdiscToAdd } from '../port/qdisc.ts'
import { decodeQdisc, encodeQdisc, handleNumber, parentNumber, parentOf, trafficHeader } from './codec.ts'
import { isSameTbf } from './tbf.ts'

export function getQdiscs(channel: RequestChannel, { link }: QdiscFilter): Qdisc[] {
  const what = 'List qdiscs'
  const index = link === undefined ? undefined : linkIndex(channel, link, what)
  return channel
    .dump({ type: RTM_GETQDISC, fixed: trafficHeader(index ?? 0), what })
    .map(({ body }) => decodeQdisc(body))
    .filter((qdisc) => index === undefined || qdisc.linkIndex === index)
}

export function addQdisc(channel: RequestChannel, qdisc: QdiscToAdd): boolean {
  const { what, index, encoded } = prepare(channel, 'Add', qdisc)
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask({ type: RTM_NEWQDISC, flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }),
    () => qdiscDifference(qdiscAt(getQdiscs(channel, { link: index }), parentOf(qdisc)), qdisc),
  )
}

/** Adds or replaces a qdisc. If the existing qdisc has the same kind, changes only its options. */
export function replaceQdisc(channel: RequestChannel, qdisc: QdiscToAdd): void {
  const { what, encoded } = prepare(channel, 'Replace', qdisc)
  channel.ask({ type: RTM_NEWQDISC, flags: NLM_F_CREATE | NLM_F_REPLACE, ...encoded, what })
}

export function deleteQdisc(channel: RequestChannel, qdisc: OldQdisc): boolean {
  const parent = parentOf(qdisc)
  const number = parentNumber(parent)
  const ref = linkOf(qdisc, `Delete qdisc ${parent}`)
  const what = `Delete qdisc ${parent} of ${linkText(ref)}`
  const index = linkIndex(channel, ref, what)
  // Reads the qdisc first, because the kernel also deletes a qdisc of another kind.
  const there = qdiscAt(getQdiscs(channel, { link: index }), parent)
  if (there === undefined || (qdisc.kind !== undefined && qdisc.kind !== there.kind)) return false
  const fixed = trafficHeader(index, handleNumber(there.handle), number)
  return unlessAlready(['ENOENT'], () => channel.ask({ type: RTM_DELQDISC, fixed, what }))
}

/** Finds the qdisc at a parent, but not the kernel's default qdisc (`0:`). */
export function qdiscAt(qdiscs: readonly Qdisc[], parent: string): Qdisc | undefined {
  return qdiscs.find((qdisc) => qdisc.parent === parent && qdisc.handle !== '0:')
}

/** Describes how an existing qdisc differs from the wanted one. `undefined` means no difference. */
export function qdiscDifference(there: Qdisc | undefined, wanted: QdiscToAdd): string | undefined {
  if (there === undefined) return 'another process has removed it since'
  if (there.kind !== wanted.kind) return `it exists, but its kind is ${there.kind}`
  if (wanted.tbf === undefined || there.tbf === undefined || isSameTbf(there.tbf, wanted.tbf)) return undefined
  return `it exists, but its tbf is ${describeValue(there.tbf)}`
}

const prepare = (channel: RequestChannel, verb: string, qdisc: QdiscToAdd) =>
  prepareOnLink(channel, [`${verb} qdisc ${qdisc.kind}`, 'of'], qdisc, encodeQdisc)
