import type { LogLevel } from '@cni/skel'
import { isObject } from '@cni/types'
import type { MadeRecord } from '../state/made-records.ts'
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
 * The answer in a frame; `undefined` for what is none. It comes from root, who may do all that it could lead to: what is
 * looked at is whether it can be worked with. Without zod, which takes longer to load than all the rest.
 */
export function readAnswer({ json, bytes }: Frame): ServeAnswer | undefined {
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch {
    return undefined
  }
  if (!isObject(document)) return undefined
  const { act, lines, logLevel, ...own } = document
  if (act === 'refused') {
    return { act, reason: isRefusal(own.reason) ? own.reason : 'internal', detail: textOf(own.detail) }
  }
  if (!isListOf(lines, isLine) || !(logLevel === undefined || isLevel(logLevel))) return undefined
  const logged = { lines, logLevel }
  if (act === 'skip') return { act, ...logged }
  if (act === 'error') return isServedError(own.error) ? { act, ...logged, error: own.error } : undefined
  return act === 'program' && isProgram(own) ? { act, ...logged, ...own, batch: bytes } : undefined
}

// internal

const LEVELS: readonly unknown[] = ['silent', 'error', 'warn', 'info', 'debug'] satisfies LogLevel[]
const KNOWN: readonly unknown[] = REFUSALS
const BACKENDS: readonly unknown[] = ['nft', 'nftables'] satisfies ServedBackend[]
const FAMILIES: readonly unknown[] = ['ipv4', 'ipv6']

const isFamily = (value: unknown): value is unknown => FAMILIES.includes(value)
const isLevel = (value: unknown): value is LogLevel => LEVELS.includes(value)
const isRefusal = (value: unknown): value is RefusalReason => KNOWN.includes(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)
const textOf = (value: unknown): string | undefined => (isText(value) ? value : undefined)

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  // Plain loops: each function of arrays that a process calls for the first time takes 40 µs.
  if (!Array.isArray(value)) return false
  for (const item of value) if (!is(item)) return false
  return true
}

const isLine = (value: unknown): value is ServedLine =>
  isObject(value) &&
  isLevel(value.level) &&
  value.level !== 'silent' &&
  isText(value.message) &&
  (value.fields === undefined || isObject(value.fields))

const isServedError = (value: unknown): value is ServedError =>
  isObject(value) &&
  isNumber(value.code) &&
  isText(value.msg) &&
  (value.details === undefined || isText(value.details)) &&
  (value.cause === undefined || isText(value.cause))

const isProgram = (value: unknown): value is Pick<ProgramAnswer, 'pod' | 'mode' | 'record'> =>
  isObject(value) && isText(value.pod) && isText(value.mode) && isRecord(value.record)

function isRecord(value: unknown): value is MadeRecord {
  if (!isObject(value)) return false
  const { netns, families, tproxy } = value
  return (
    isObject(netns) &&
    isNumber(netns.dev) &&
    isNumber(netns.ino) &&
    BACKENDS.includes(value.backend) &&
    isListOf(families, isFamily) &&
    isObject(value.rules) &&
    (tproxy === null || (isObject(tproxy) && isNumber(tproxy.mark) && isNumber(tproxy.table))) &&
    value.applied === false
  )
}
