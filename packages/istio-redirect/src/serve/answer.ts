import type { LogLevel } from '@cni/skel'
import { isObject } from '@cni/types'
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
  const { act, log, logLevel, stdout, netns, backend, network, record } = document
  if (act === 'refused') {
    const { reason, detail } = document
    return { act, reason: isRefusal(reason) ? reason : 'internal', detail: isText(detail) ? detail : undefined }
  }
  if (!isLog(log) || !(logLevel === undefined || isLevel(logLevel))) return undefined
  if (act === 'error') return isServedError(document.error) ? { act, log, logLevel, error: document.error } : undefined
  if (typeof stdout !== 'string') return undefined
  if (act === 'skip') return { act, log, logLevel, stdout }
  const own = { netns, backend, network, record }
  return act === 'program' && isProgram(own) ? { act, log, logLevel, stdout, ...own, batch: bytes } : undefined
}

// internal

const LEVELS: readonly unknown[] = ['silent', 'error', 'warn', 'info', 'debug'] satisfies LogLevel[]
const KNOWN: readonly unknown[] = REFUSALS
const BACKENDS: readonly unknown[] = ['nft', 'nftables'] satisfies ServedBackend[]
const FAMILIES: readonly unknown[] = ['ipv4', 'ipv6']
const TIMED: readonly unknown[] = [undefined, 'ms', 'durationMs'] satisfies ServedLine['timed'][]

const isLevel = (value: unknown): value is LogLevel => LEVELS.includes(value)
const isRefusal = (value: unknown): value is RefusalReason => KNOWN.includes(value)
const isText = (value: unknown): value is string => typeof value === 'string'

// Plain loops: each function of arrays that a process calls for the first time takes 40 µs.

function isLog(value: unknown): value is readonly ServedLine[] {
  if (!Array.isArray(value)) return false
  for (const line of value) {
    if (!isObject(line) || typeof line.text !== 'string' || !TIMED.includes(line.timed)) return false
  }
  return true
}

const isServedError = (value: unknown): value is ServedError =>
  isObject(value) &&
  Number.isSafeInteger(value.code) &&
  isText(value.msg) &&
  (value.details === undefined || isText(value.details)) &&
  (value.cause === undefined || isText(value.cause))

type OfProgram = Pick<ProgramAnswer, 'netns' | 'backend' | 'network' | 'record'>

function isProgram(value: Readonly<Record<keyof OfProgram, unknown>>): value is OfProgram {
  const { netns, backend, network, record } = value
  return (
    isObject(netns) &&
    Number.isSafeInteger(netns.dev) &&
    Number.isSafeInteger(netns.ino) &&
    BACKENDS.includes(backend) &&
    isObject(record) &&
    // No path: it is put behind that of a folder.
    typeof record.name === 'string' &&
    !record.name.includes('/') &&
    typeof record.begun === 'string' &&
    typeof record.applied === 'string' &&
    (network === undefined || isNetwork(network))
  )
}

function isNetwork(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value.families)) return false
  for (const family of value.families) if (!FAMILIES.includes(family)) return false
  const { tproxy } = value
  return (
    tproxy === null || (isObject(tproxy) && Number.isSafeInteger(tproxy.mark) && Number.isSafeInteger(tproxy.table))
  )
}
