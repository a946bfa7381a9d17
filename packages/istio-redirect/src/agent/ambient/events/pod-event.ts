import { podAddresses } from '@cni/istio-rules'
import { isObject } from '@cni/types'
import { parseAddress } from '@cni/types/ip'
import type { AnnouncedPod } from '../../pods/announced-pod.ts'

/**
 * Event that a plugin sends to the agent when a pod starts. The addresses are in canonical form, without duplicates. If
 * the plugin sent no path of the network namespace, the path is empty.
 */
export type PodEvent = Omit<AnnouncedPod, 'uid'>

/** Error for an invalid event of a plugin, in the words of Istio's decoder. */
export class PodEventError extends Error {
  static {
    PodEventError.prototype.name = 'PodEventError'
  }
}

/** Parses an event of a plugin by Istio's rules. Throws a {@link PodEventError}. */
export function readPodEvent(body: string): PodEvent {
  const document = parse(body) ?? {}
  if (!isObject(document)) throw mismatch(document, '', 'CNIPluginAddEvent')
  return {
    namespace: text(document, 'PodNamespace'),
    name: text(document, 'PodName'),
    netns: text(document, 'Netns'),
    addresses: podAddresses(list(document, 'IPs').map(addressIn)),
  }
}

// internal

type Members = Readonly<Record<string, unknown>>

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new PodEventError(syntaxProblem(body), { cause })
  }
}

/** Returns Go's error message for the two faults of invalid JSON that plugins cause. */
function syntaxProblem(body: string): string {
  if (isCut(body)) return 'unexpected end of JSON input'
  const rest = afterValue(body)
  return rest === undefined ? 'it is not JSON' : `invalid character '${replaceControls(rest)}' after top-level value`
}

/** True if the event's body looks truncated. */
function isCut(body: string): boolean {
  const { depth, inText } = scan(body).end
  return body.trim() === '' || inText || depth > 0
}

/** Finds the first character after the JSON object or array in the event's body, if any. */
function afterValue(body: string): string | undefined {
  const { closedAt } = scan(body)
  if (closedAt === undefined) return undefined
  try {
    JSON.parse(body.slice(0, closedAt))
  } catch {
    return undefined
  }
  return /\S/u.exec(body.slice(closedAt))?.[0]
}

function scan(body: string): {
  readonly end: { readonly depth: number; readonly inText: boolean }
  readonly closedAt: number | undefined
} {
  let depth = 0
  let inText = false
  let closedAt: number | undefined
  for (let at = 0; at < body.length; at++) {
    const character = body[at]
    if (inText && character === '\\') at += 1
    else if (character === '"') inText = !inText
    else if (!inText && (character === '{' || character === '[')) depth += 1
    else if (!inText && (character === '}' || character === ']')) {
      depth -= 1
      if (depth === 0) closedAt ??= at + 1
    }
  }
  return { end: { depth, inText }, closedAt }
}

/** Finds a member of a JSON object by name, in upper or lower case, like Go. */
const member = (document: Members, name: string): unknown =>
  Object.entries(document).findLast(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? undefined

function text(document: Members, name: string): string {
  const value = member(document, name) ?? ''
  if (typeof value !== 'string') throw mismatch(value, name, 'string')
  return value
}

function list(document: Members, name: string): readonly unknown[] {
  const value = member(document, name) ?? []
  if (!Array.isArray(value)) throw mismatch(value, name, '[]IPConfig')
  return value
}

/** Reads the IP address in an entry of the event's member `IPs`, if any. */
function addressIn(entry: unknown): string | undefined {
  if (!isObject(entry)) throw mismatch(entry, 'IPs', 'IPConfig')
  const network = member(entry, 'Address') ?? {}
  if (!isObject(network)) throw mismatch(network, 'IPs.Address', 'IPNet')
  const address = text(network, 'IP')
  if (address === '') return undefined
  if (parseAddress(address) === undefined) throw new PodEventError(`invalid IP address: ${excerpt(address)}`)
  return address
}

function mismatch(value: unknown, where: string, type: string): PodEventError {
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : isObject(value) ? 'object' : primitive(value)
  const into = where === '' ? 'value' : `struct field ${where}`
  return new PodEventError(`json: cannot unmarshal ${kind} into Go ${into} of type ${type}`)
}

const primitive = (value: unknown): string => (typeof value === 'boolean' ? 'bool' : typeof value)
const excerpt = (value: string): string => replaceControls(value.slice(0, 100))
const replaceControls = (value: string): string => value.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')
