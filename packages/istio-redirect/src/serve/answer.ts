import type { LogLevel } from '@cni/skel'
import { escapeUnsafe, isObject } from '@cni/types'
import { printable } from '../foreign-text.ts'
import { encodeFrame, type Frame } from './frame.ts'
import {
  type ProgramAnswer,
  REFUSALS,
  type RefusalReason,
  type ServeAnswer,
  type ServedBackend,
  type ServedError,
  type ServedLine,
} from './protocol.ts'

/** An answer as it is sent, behind the byte that accepts. */
export function encodeAnswer(answer: ServeAnswer): Uint8Array {
  if (answer.act !== 'program') return encodeFrame(answer)
  const { batch, ...head } = answer
  return encodeFrame(head, batch)
}

/**
 * The answer in a frame; `undefined` for an invalid one. Checks everything the plugin works with, as of any foreign text:
 * types, ranges, sizes. Whether it is the answer for this call tells `isForCall`. Loads no schema library.
 */
export function readAnswer({ json, bytes }: Frame): ServeAnswer | undefined {
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch {
    return undefined
  }
  if (!isObject(document)) return undefined
  const { act, log, logLevel, stdout, netns, backend, network, record } = document
  if (act === 'refused') {
    const { reason, detail } = document
    return {
      act,
      reason: isRefusal(reason) ? reason : 'internal',
      detail: isText(detail) ? printable(detail) : undefined,
    }
  }
  if (!isLog(log) || !(logLevel === undefined || isLevel(logLevel))) return undefined
  if (act === 'error') return isServedError(document.error) ? { act, log, logLevel, error: document.error } : undefined
  if (!isText(stdout, MAX_DOCUMENT) || objectIn(stdout, MAX_DOCUMENT) === undefined) return undefined
  if (act === 'skip') return { act, log, logLevel, stdout }
  const own = { netns, backend, network, record }
  return act === 'program' && isProgram(own) && isBatch(bytes)
    ? { act, log, logLevel, stdout, ...own, batch: bytes }
    : undefined
}

// internal

const LEVELS: readonly unknown[] = ['silent', 'error', 'warn', 'info', 'debug'] satisfies LogLevel[]
const KNOWN: readonly unknown[] = REFUSALS
const BACKENDS: readonly unknown[] = ['nft', 'nftables'] satisfies ServedBackend[]
const FAMILIES: readonly unknown[] = ['ipv4', 'ipv6']
const TIMED: readonly unknown[] = [undefined, 'ms', 'durationMs'] satisfies ServedLine['timed'][]

/** Bounds of an answer besides {@link MAX_ANSWER}: lines of the log, and characters of one text. */
const MAX_LINES = 256
const MAX_TEXT = 64 * 1024
/** Characters of a result or a record, which have parts of the request in them. */
const MAX_DOCUMENT = 2 * 1024 * 1024

const isLevel = (value: unknown): value is LogLevel => LEVELS.includes(value)
const isRefusal = (value: unknown): value is RefusalReason => KNOWN.includes(value)
const isText = (value: unknown, max = MAX_TEXT): value is string => typeof value === 'string' && value.length <= max
const isCount = (value: unknown, max = Number.MAX_SAFE_INTEGER): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max

function objectIn(text: unknown, max: number): Readonly<Record<string, unknown>> | undefined {
  if (!isText(text, max)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // reported as no answer
  }
}

function isLog(value: unknown): value is readonly ServedLine[] {
  if (!Array.isArray(value) || value.length > MAX_LINES) return false
  for (const line of value) if (!isObject(line) || !isLine(line.text) || !TIMED.includes(line.timed)) return false
  return true
}

/** A JSON object that no terminal acts on, and a newline. */
function isLine(text: unknown): text is string {
  if (!isText(text) || !text.endsWith('}\n')) return false
  const line = text.slice(0, -1)
  return escapeUnsafe(line) === line && objectIn(line, MAX_TEXT) !== undefined
}

const isServedError = (value: unknown): value is ServedError =>
  isObject(value) &&
  isCount(value.code, 0xffff_ffff) &&
  value.code > 0 &&
  isText(value.msg) &&
  (value.details === undefined || isText(value.details)) &&
  (value.cause === undefined || isText(value.cause))

type OfProgram = Pick<ProgramAnswer, 'netns' | 'backend' | 'network' | 'record'>

function isProgram(value: Readonly<Record<keyof OfProgram, unknown>>): value is OfProgram {
  const { netns, backend, network, record } = value
  return (
    isObject(netns) &&
    isCount(netns.dev) &&
    isCount(netns.ino) &&
    BACKENDS.includes(backend) &&
    isObject(record) &&
    // No path: the name is put behind that of a folder.
    isText(record.name) &&
    /^[0-9a-f]{32}\.json$/.test(record.name) &&
    isText(record.begun, MAX_DOCUMENT) &&
    isText(record.applied, MAX_DOCUMENT) &&
    (network === undefined || isNetwork(network))
  )
}

function isNetwork(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value.families) || value.families.length > FAMILIES.length) return false
  for (const family of value.families) if (!FAMILIES.includes(family)) return false
  const { tproxy } = value
  return (
    tproxy === null || (isObject(tproxy) && isCount(tproxy.mark, 0xffff_ffff) && isCount(tproxy.table, 0xffff_ffff))
  )
}

/** Whether bytes are whole netlink messages, as many as their lengths say. */
function isBatch(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at + NETLINK_HEADER <= bytes.length) {
    const length = view.getUint32(at, true)
    if (length < NETLINK_HEADER) return false
    at += (length + 3) & ~3
  }
  return at === bytes.length && at > 0
}

const NETLINK_HEADER = 16
