import type { Netns } from '@cni/netns/handle'
import { isObject } from '@cni/types'
import type { AddAheadContext } from '../context.ts'
import type { PluginIo } from '../io.ts'
import type { LogFields, LogLevel, LogOptions } from '../log.ts'
import type { Plugin } from '../plugin.ts'
import { type Interruption, interruption } from './interruption.ts'
import { machine } from './namespace.ts'
import { DEFAULT_TIMEOUT } from './timeout.ts'
import type { UndoStep } from './undo.ts'

/** What `addAhead` of a plugin has come to. */
export interface Ahead {
  /** What belongs on stdout; `undefined` where the call goes on. */
  readonly printed: string | undefined
  /** It has failed, or was interrupted: rejects when it has come to rest. */
  readonly failed: Promise<never> | undefined
  /** The document that it was called with. */
  readonly document: Readonly<Record<string, unknown>> | undefined
  /** Stdin, which can be read once. Throws as it did. */
  readonly stdin: PluginIo['stdin']
  readonly limit: Interruption
  /** Handles that are closed when the call is over: its steps back may need them. */
  readonly opened: Netns[]
  /** For the log of the call, in this order. */
  readonly notes: readonly Note[]
  /** The log that it has asked for. */
  readonly log: LogOptions | undefined
  readonly undo: readonly UndoStep[]
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
  const { env } = io
  const notes: Note[] = []
  const undo: UndoStep[] = []
  const opened: Netns[] = []
  let log: LogOptions | undefined
  const limit = interruption('ADD', plugin.timeout ?? DEFAULT_TIMEOUT, io.signal)
  let raw: Uint8Array
  try {
    const input = await io.stdin()
    raw = typeof input === 'string' ? new TextEncoder().encode(input) : input
  } catch (error) {
    const stdin = () => Promise.reject(error)
    return { printed: undefined, failed: undefined, document: undefined, stdin, limit, opened, notes, log, undo }
  }
  const document = objectIn(raw)
  const ahead = { printed: undefined, failed: undefined, document, stdin: () => raw, limit, opened, notes, undo }
  if (document === undefined || (plugin.chained === true && document.prevResult === undefined)) return { ...ahead, log }
  const c: AddAheadContext = {
    env,
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
      log = options
    },
  }
  const work = (async () => plugin.addAhead?.(c))()
  try {
    const printed = await Promise.race([work, limit.raised])
    if (printed === undefined) return { ...ahead, log }
    limit.clear()
    opened[0]?.close()
    return { ...ahead, printed, log }
  } catch {
    return { ...ahead, failed: work.then(() => Promise.reject(limit.error)), log }
  }
}

// internal

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
  let isOther = false
  try {
    const own = port.current()
    isOther = !netns.isSame(own)
    own.close()
  } finally {
    if (!isOther) netns.close()
  }
  if (!isOther) throw new Error('it is the namespace of the plugin')
  return netns
}
