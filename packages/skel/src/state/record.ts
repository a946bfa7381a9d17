import { isObject } from '@cni/types'
import type { AttachmentKey } from './attachment-key.ts'
import { StateError } from './state-error.ts'

/** Members of a state file that the SDK adds to the plugin's own members. */
const OWN = ['v', 'network', 'containerID', 'ifName']

/** Encodes a state file: version, attachment, and the members of the state. */
export function encodeRecord(version: number, key: AttachmentKey, state: unknown): string {
  if (!isObject(state)) throw new TypeError(`state: expected an object, got ${JSON.stringify(state)}`)
  const taken = OWN.find((member) => Object.hasOwn(state, member))
  if (taken !== undefined) throw new TypeError(`state: ${taken} is the name of a member that every record has`)
  const { network, containerID, ifName } = key
  return `${JSON.stringify({ v: version, network, containerID, ifName, ...state })}\n`
}

/** Decodes a state file. Does not validate the plugin's own members. */
export function decodeRecord(
  version: number,
  path: string,
  text: string,
): { readonly key: AttachmentKey; readonly state: Readonly<Record<string, unknown>> } {
  const { v, network, containerID, ifName, ...state } = objectIn(path, text)
  if (v !== version) {
    const found = v === undefined ? 'no version' : `version ${JSON.stringify(v).slice(0, 20)}`
    throw new StateError('VERSION', path, `it has ${found}, expected ${version}`)
  }
  if (typeof network === 'string' && typeof containerID === 'string' && typeof ifName === 'string') {
    return { key: { network, containerID, ifName }, state }
  }
  throw new StateError('INVALID', path, 'expected network, containerID and ifName to be strings')
}

function objectIn(path: string, text: string): Record<string, unknown> {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // Omits the JSON parser's message, which quotes the state file's text and may contain a secret.
    throw new StateError('INVALID', path, 'it is not JSON')
  }
  if (isObject(document)) return document
  throw new StateError('INVALID', path, 'it is not a JSON object')
}
