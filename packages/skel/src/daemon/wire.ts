import { CniError, ErrorCode, isObject } from '@cni/types'
import type { EnvVars } from '../protocol/environment.ts'

/** A CNI call as the shim sends it to the daemon. */
export interface WireCall {
  readonly env: EnvVars
  readonly config: Uint8Array
}

// Environment variables that the shim sends to the daemon. The shim drops all others, because they may contain secrets.
const VARIABLES = [
  'CNI_COMMAND',
  'CNI_CONTAINERID',
  'CNI_NETNS',
  'CNI_IFNAME',
  'CNI_ARGS',
  'CNI_PATH',
  'CNI_NETNS_OVERRIDE',
  'TRACEPARENT',
  'TRACESTATE',
  'BAGGAGE',
]

/** Encodes a CNI call as the body of `POST /cni`. */
export function encodeCall({ env, config }: WireCall): string {
  const { buffer, byteOffset, byteLength } = config
  return JSON.stringify({
    env: cniVariables(env),
    config: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  })
}

/** Decodes a CNI call from the body of `POST /cni`. */
export function decodeCall(body: string): WireCall {
  const { env, config } = members(body)
  if (!isObject(env)) throw malformed('env', 'an object', env)
  const variables = cniVariables(env)
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value !== 'string') throw malformed(`env.${name}`, 'a string', value)
  }
  return { env: variables as EnvVars, config: fromBase64(config) }
}

function members(body: string): { env?: unknown; config?: unknown } {
  let call: unknown
  try {
    call = JSON.parse(body)
  } catch {
    // Omits the message of the JSON parser, which quotes the body and may contain a secret.
    throw new CniError(ErrorCode.decodingFailure, `the call is no JSON (${body.length} characters)`)
  }
  if (!isObject(call)) throw malformed('the call', 'an object', call)
  return call
}

function cniVariables<Value>(env: Readonly<Record<string, Value>>): Record<string, Value> {
  const picked: Record<string, Value> = {}
  for (const name of VARIABLES) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value !== undefined) picked[name] = value
  }
  return picked
}

function fromBase64(text: unknown): Uint8Array {
  if (typeof text !== 'string') throw malformed('config', 'base64', text)
  const bytes = Buffer.from(text, 'base64')
  // Encodes the bytes again for a comparison, because Buffer skips invalid base64 without an error.
  if (bytes.toString('base64') !== text) throw new CniError(ErrorCode.decodingFailure, 'config: the base64 is invalid')
  return bytes
}

function malformed(member: string, expected: string, value: unknown): CniError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return new CniError(ErrorCode.decodingFailure, `${member}: expected ${expected}, got ${kind}`)
}
