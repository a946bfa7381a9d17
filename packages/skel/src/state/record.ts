import { isObject } from '@cni/types'
import type { AttachmentKey } from './attachment-key.ts'
import { StateError } from './state-error.ts'

/** The members of a record besides those of the state. */
const OWN = ['v', 'network', 'containerID', 'ifName']

/**
 * The text of a state file: a version, the attachment, and beside them the members of the state.
 *
 * @throws TypeError when the state is no object, or has one of the members for itself.
 */
export function encodeRecord(version: number, key: AttachmentKey, state: unknown): string {
  if (!isObject(state)) throw new TypeError(`state: expected an object, got ${JSON.stringify(state)}`)
  const taken = OWN.find((member) => Object.hasOwn(state, member))
  if (taken !== undefined) throw new TypeError(`state: ${taken} is the name of a member that every record has`)
  const { network, containerID, ifName } = key
  return `${JSON.stringify({ v: version, network, containerID, ifName, ...state })}\n`
}

/**
 * Reads such a text; what the state itself holds is for its schema to say.
 *
 * @throws StateError `INVALID` or `VERSION`; `path` only appears in messages.
 */
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
    // The engine's message quotes the text, which may hold a secret.
    throw new StateError('INVALID', path, 'it is not JSON')
  }
  if (isObject(document)) return document
  throw new StateError('INVALID', path, 'it is not a JSON object')
}
