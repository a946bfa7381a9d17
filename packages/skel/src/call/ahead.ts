import type { Netns } from '@cni/netns/handle'
import { isObject } from '@cni/types'
import type { AddAheadContext } from '../context.ts'
import { type PluginIo, readInput } from '../io.ts'
import type { LogFields, LogLevel, LogOptions } from '../log.ts'
import type { Plugin } from '../plugin.ts'
import { deliver } from './deliver.ts'
import { type Interruption, interruption } from './interruption.ts'
import { isOwn, machine } from './namespace.ts'
import type { UndoStep } from './undo.ts'

/** What `addAhead` of a plugin has come to, and has left for a call that goes on. */
export interface Ahead {
  /** What belongs on stdout; `undefined` where the call goes on. */
  printed: string | undefined
  /** It has failed, or was interrupted: rejects when it has come to rest. */
  failed: Promise<never> | undefined
  /** What stdin says, where that is an object. */
  document: Readonly<Record<string, unknown>> | undefined
  /** Stdin, which can be read once. Throws as it did. */
  stdin: PluginIo['stdin']
  readonly limit: Interruption
  /** Handles that are closed when the call is over: its steps back may need them. */
  readonly opened: Netns[]
  /** For the log of the call, in this order. */
  readonly notes: Note[]
  /** The log that it has asked for. */
  log: LogOptions | undefined
  readonly undo: UndoStep[]
}

/** A line of a log that is not there yet. */
export interface Note {
  readonly level: Exclude<LogLevel, 'silent'>
  readonly message: string
  readonly fields: LogFields | undefined
}

/**
 * Calls `addAhead` of a plugin, with as little as it can be called with: a call that ends here does without all the rest of
 * this package.
 */
export async function goAhead(plugin: Plugin, io: PluginIo, stderr: (lines: string) => void): Promise<Ahead> {
  const limit = interruption('ADD', plugin.timeout, io.signal)
  const ahead: Ahead = {
    ...{ printed: undefined, failed: undefined, document: undefined, stdin: () => io.stdin(), limit },
    ...{ opened: [], notes: [], log: undefined, undo: [] },
  }
  let raw: Uint8Array
  try {
    raw = await readInput(io)
  } catch (error) {
    ahead.stdin = () => Promise.reject(error)
    return ahead
  }
  const document = objectIn(raw)
  ahead.stdin = () => raw
  ahead.document = document
  if (document === undefined || (plugin.chained === true && document.prevResult === undefined)) return ahead
  const work = (async () => plugin.addAhead?.(contextOf(io, { ahead, raw, document, stderr })))()
  try {
    const printed = await Promise.race([work, limit.raised])
    if (printed === undefined) return ahead
    await deliver(printed, io, limit)
    limit.clear()
    ahead.opened[0]?.close()
    ahead.printed = printed
  } catch (error) {
    ahead.failed = work.then(() => Promise.reject(limit.error ?? error))
    // The rest of the call handles the failure, but only after its code is loaded.
    ahead.failed.catch(() => {})
  }
  return ahead
}

// internal

interface Started extends Pick<AddAheadContext, 'raw' | 'document' | 'stderr'> {
  readonly ahead: Ahead
}

function contextOf(io: PluginIo, { ahead, raw, document, stderr }: Started): AddAheadContext {
  const { limit, opened, notes, undo } = ahead
  return {
    env: io.env,
    raw,
    document,
    get signal() {
      return limit.signal
    },
    openNetns() {
      const netns = opened[0] ?? openOther(io)
      opened[0] = netns
      return netns
    },
    undo: (step) => void undo.push(step),
    stderr,
    note: (level, message, fields) => void notes.push({ level, message, fields }),
    openLog(options) {
      ahead.log = options
    },
  }
}

/** What is no object is refused by who reads it properly. */
function objectIn(raw: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const document: unknown = JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw))
    return isObject(document) ? document : undefined
  } catch {
    return undefined
  }
}

/** The container's namespace; one that is the plugin's own is refused, whatever the environment says. */
function openOther({ env, netns: port = machine }: PluginIo): Netns {
  const netns = port.open(env.CNI_NETNS ?? '')
  try {
    if (!isOwn(netns, port)) return netns
  } catch (error) {
    netns.close()
    throw error
  }
  netns.close()
  throw new Error('it is the namespace of the plugin')
}
