import { isMainThread } from 'node:worker_threads'
import type { NetnsTarget } from '../handle/netns.ts'
import { isNetnsError, NetnsError } from '../handle/netns-error.ts'
import { placeOf, type Where } from '../handle/where.ts'
import type { Channel } from '../netlink/channel.ts'
import { NETLINK_NETFILTER, NLM_F_CREATE } from '../netlink/constants.ts'
import type { Message } from '../netlink/decode.ts'
import { events } from '../netlink/events.ts'
import { openNetlink, openNetlinkSocket } from '../netlink/open.ts'
import { watchReadable } from '../ready/readable.ts'
import { unlessAlready } from '../rtnl/already.ts'
import { CT_DELETE, CT_GET, CT_NEW, conntrackHeader, decodeEntry, encodeFilter, encodeIdentity } from './codec.ts'
import type { ConntrackEntry, ConntrackEvent, ConntrackPort, ConntrackWatchOptions } from './entry.ts'
import { type CheckedFilter, checkFilter, checkLimit, checkNotEmpty, matches, tooMany } from './filter.ts'

/** Multicast groups of conntrack events: `NFNLGRP_CONNTRACK_NEW`, `_UPDATE` and `_DESTROY`. */
const GROUPS = [1, 2, 3]

const FAMILIES = ['ipv4', 'ipv6'] as const

/** Largest number of connections deleted in one round, and largest number of rounds. */
const ROUND = 8192
const ROUNDS = 1024

/**
 * Connections that the kernel tracks in a namespace (ctnetlink). Each call opens and closes a netlink socket. Deletions
 * register no undo step.
 *
 * @example
 * // UDP clients of port 53 pass the NAT rules again
 * await conntrack('host').delete({ protocol: 'udp', original: { dport: 53 } })
 */
export function conntrack(where: Where): ConntrackPort {
  const { netns } = placeOf(where, 'conntrack')
  return {
    async list(filter = {}, options = {}) {
      const checked = checkFilter(filter)
      const limit = checkLimit(options.limit)
      using channel = openNetlink(netns, NETLINK_NETFILTER)
      const found = dump(channel, checked, limit + 1)
      if (found.length > limit) throw tooMany(limit)
      return found.flatMap((message) => decodeEntry(message) ?? [])
    },
    async delete(filter, only) {
      const checked = checkNotEmpty(checkFilter(filter))
      using channel = openNetlink(netns, NETLINK_NETFILTER)
      let deleted = 0
      for (let round = 0; round < ROUNDS; round++) {
        const found = dump(channel, checked, ROUND, only)
        for (const message of found) if (deleteOne(channel, message)) deleted++
        if (found.length < ROUND) break
      }
      return { deleted }
    },
    watch: (filter = {}, options = {}) => watch(netns, checkFilter(filter), options),
  }
}

/**
 * Reads matching connections from the kernel's table, as netlink messages. `most` is the largest number of messages to
 * return.
 */
function dump(
  channel: Channel,
  filter: CheckedFilter,
  most: number,
  only: (entry: ConntrackEntry) => boolean = () => true,
): Message[] {
  const found: Message[] = []
  const keep = (message: Message, kept: number): boolean => {
    if (found.length + kept >= most) return false
    const entry = decodeEntry(message)
    return entry !== undefined && matches(entry, filter) && only(entry)
  }
  const attributes = encodeFilter(filter)
  try {
    // Lists IPv4 and IPv6 separately. The kernel filters by protocol only in a request for one family.
    for (const family of filter.family === undefined ? FAMILIES : [filter.family]) {
      const request = { type: CT_GET, fixed: conntrackHeader(family), attributes, what: 'List connections' }
      for (const message of channel.dump(request, { keep })) found.push(message)
    }
    return found
  } catch (cause) {
    if (!isNetnsError(cause) || cause.code !== 'EINVAL') throw cause
    throw new NetnsError('EINVAL', `${cause.message} (it needs the kernel module nf_conntrack_netlink)`, {
      cause,
    })
  }
}

/** Deletes one connection, but keeps a newer connection with the same addresses and ports. */
function deleteOne(channel: Channel, message: Message): boolean {
  const request = { type: CT_DELETE, fixed: message.body.subarray(0, 4), attributes: encodeIdentity(message) }
  return unlessAlready(['ENOENT'], () => channel.ask({ ...request, what: 'Delete a connection' }))
}

async function* watch(
  netns: NetnsTarget,
  filter: CheckedFilter,
  { signal, interval }: ConntrackWatchOptions,
): AsyncGenerator<ConntrackEvent, void, void> {
  using socket = openNetlinkSocket(netns, NETLINK_NETFILTER, { groups: GROUPS })
  const isWoken = interval === undefined && isMainThread
  const options = { signal, interval, ...(isWoken ? { watch: watchReadable } : undefined) }
  for await (const { messages, lost } of events(socket, options)) {
    if (lost) yield { type: 'lost' }
    else {
      for (const message of messages) {
        const entry = decodeEntry(message)
        const type = eventType(message)
        if (entry !== undefined && type !== undefined && matches(entry, filter)) yield { type, entry }
      }
    }
  }
}

function eventType({ type, flags }: Message): 'new' | 'update' | 'destroy' | undefined {
  if (type === CT_DELETE) return 'destroy'
  if (type !== CT_NEW) return undefined
  return (flags & NLM_F_CREATE) === 0 ? 'update' : 'new'
}
