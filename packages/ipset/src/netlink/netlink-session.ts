import { setImmediate as turn } from 'node:timers/promises'
import { debugFor } from '@cni/host/debug'
import type { Place } from '@cni/netns/handle'
import { attributeMap, type Channel, isNetlinkError, readCString } from '@cni/netns/netlink'
import { errnoOf, messageOf } from '@cni/types'
import type { Change } from '../changes.ts'
import { isSetError, SetError } from '../errors.ts'
import type { SavedSet } from '../parse-save.ts'
import type { IpsetSession } from '../session.ts'
import type { SetEntry, SetInfo } from '../spec-types.ts'
import { readEntries } from './entries.ts'
import { readHeader } from './headers.ts'
import { ATTR_ADT, ATTR_TYPENAME, CMD_PROTOCOL, type IpsetRequest, message, NFGENMSG, NLM_F_ACK } from './protocol.ts'
import { IPSET_ERR_EXIST, noIpSet, refused } from './refused.ts'
import { headerRequest, listRequest, requestsOf, type TypeOf, testRequest } from './requests.ts'

/**
 * Reads and changes IP sets over netlink. Closes the channel after each call, because an open channel keeps the
 * namespace alive.
 */
export function netlinkSession(open: () => Channel, { signal, log }: Place): IpsetSession {
  const stop = (what: string, how: string) => {
    if (signal?.aborted === true) throw new SetError('ABORTED', `${what} was ${how}: aborted`)
  }
  const use = async <T>(what: string, work: (channel: Channel) => T | Promise<T>, uncancelled = false) => {
    if (!uncancelled) stop(what, 'not started')
    const begun = performance.now()
    const told = (fields: Record<string, unknown>) =>
      debugFor('ipset')?.(what, { ...fields, ms: performance.now() - begun })
    const channel = open()
    try {
      const result = await work(channel)
      log?.debug(what, { ms: Math.round(performance.now() - begun) })
      told({})
      return result
    } catch (error) {
      if (isSetError(error)) log?.debug(error.message, { code: error.code })
      told({ error })
      throw error
    } finally {
      channel.close()
    }
  }
  return {
    async change(changes, { exist, uncancelled = false }) {
      const what = changes.map(({ verb, set }) => `${verb} ${set}`).join(', ')
      const between = () => {
        if (!uncancelled) stop(what, 'stopped')
      }
      if (changes.length > 0) await use(what, (channel) => make(channel, changes, exist, between), uncancelled)
    },
    save: (name, { uncancelled } = {}) =>
      use(
        `save ${name}`,
        (channel) => {
          try {
            return dump(channel, listRequest(name))[0]
          } catch (error) {
            if (isSetError(error) && error.code === 'NOT_FOUND') return undefined
            throw error
          }
        },
        uncancelled,
      ),
    list: () => use('list', (channel) => dump(channel, listRequest()).map(({ entries: _, ...info }) => info)),
    test: (name, entry) =>
      use(`test ${name} ${entry}`, (channel) => {
        try {
          ask(channel, testRequest(name, entry, typeOf(channel)))
          return true
        } catch (error) {
          if (isSetError(error) && isNetlinkError(error.cause) && error.cause.refusal.errno === IPSET_ERR_EXIST)
            return false
          throw error
        }
      }),
    warn: (message, fields) => log?.warn(message, fields),
  }
}

// internal

async function make(channel: Channel, changes: readonly Change[], exist: boolean, between: () => void): Promise<void> {
  for (const change of changes) {
    let begun = false
    for (const each of requestsOf(change, exist, typeOf(channel))) {
      // Lets other tasks of the process run between two messages, because a change with many entries needs many
      // messages.
      if (begun) {
        await turn()
        between()
      }
      begun = true
      try {
        ask(channel, each)
      } catch (error) {
        // Ignores a missing set, because older kernels report the error even with `exist`.
        if (!(exist && change.verb === 'destroy' && isSetError(error) && error.code === 'NOT_FOUND')) throw error
      }
    }
  }
}

/** Reads a set's actual type, because the kernel ignores attributes that the type does not know. */
const typeOf =
  (channel: Channel): TypeOf =>
  (set, what) => {
    const asked = headerRequest(set, what)
    try {
      return readCString(attributeMap(channel.get(message(asked)).body, NFGENMSG).get(ATTR_TYPENAME)) ?? ''
    } catch (error) {
      throw explained(channel, asked, error)
    }
  }

function ask(channel: Channel, asked: IpsetRequest): void {
  try {
    channel.ask(message(asked))
  } catch (error) {
    throw explained(channel, asked, error)
  }
}

function dump(channel: Channel, asked: IpsetRequest): (SavedSet & SetInfo)[] {
  const sets: (SetInfo & { entries: SetEntry[] })[] = []
  try {
    // Requests an acknowledgement, because older kernels report a missing set only with an acknowledgement.
    for (const { body } of channel.dump(message({ ...asked, flags: NLM_F_ACK }))) {
      const attributes = attributeMap(body, NFGENMSG)
      const header = readHeader(attributes)
      if (header !== undefined) sets.push({ ...header, entries: [] })
      const list = attributes.get(ATTR_ADT)
      const set = sets.at(-1)
      if (list !== undefined && set !== undefined) set.entries.push(...readEntries(set.name, set.type, list))
    }
  } catch (error) {
    throw explained(channel, asked, error)
  }
  return sets
}

/** Converts the error of a netlink request to a `SetError`, whose message tells the reason. */
function explained(channel: Channel, asked: IpsetRequest, error: unknown): unknown {
  if (isSetError(error)) return error
  if (!isNetlinkError(error)) {
    return new SetError(errnoOf(error) === 'PROTOCOL' ? 'PARSE' : 'EXIT', messageOf(error), { cause: error })
  }
  if (error.code === 'EINVAL' && !isThere(channel)) return noIpSet(asked.what, error)
  return refused(asked, error)
}

function isThere(channel: Channel): boolean {
  try {
    channel.get(message({ what: 'Ask for the protocol', command: CMD_PROTOCOL, attributes: [] }))
    return true
  } catch {
    // Treats every error of the protocol request as "the kernel has no ip_set".
    return false
  }
}
