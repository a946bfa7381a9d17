import { readCString } from '@cni/netns/netlink'
import { text } from './fields/codec.ts'
import { valueBytes } from './fields/fields.ts'
import { invalid } from './nft-error.ts'
import type { ObjectKind } from './object-kind.ts'
import type { RuleSpec } from './specs.ts'

/** Maximum length of an object's user data in bytes, with the headers of its entries. */
const MAX_USERDATA_BYTES = 256

/**
 * Encodes the user data of an nf_tables object in the form of libnftnl.
 *
 * @example
 * const note = encodeUserdata([[0, cString('to the proxy')]])
 */
export function encodeUserdata(entries: readonly (readonly [type: number, value: Uint8Array])[]): Uint8Array {
  const bytes = Buffer.alloc(entries.reduce((sum, [, { length }]) => sum + 2 + length, 0))
  if (bytes.length > MAX_USERDATA_BYTES)
    return invalid(`Userdata of ${bytes.length} bytes: at most ${MAX_USERDATA_BYTES} fit`)
  let at = 0
  for (const [type, value] of entries) {
    bytes[at] = type
    bytes[at + 1] = value.length
    bytes.set(value, at + 2)
    at += 2 + value.length
  }
  return bytes
}

/** Decodes the entries of an object's user data, up to the first truncated entry. */
export function decodeUserdata(userdata: Uint8Array): [type: number, value: Buffer][] {
  const bytes = Buffer.from(userdata.buffer, userdata.byteOffset, userdata.length)
  const entries: [number, Buffer][] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const end = at + 2 + bytes.readUInt8(at + 1)
    if (end > bytes.length) break
    entries.push([bytes.readUInt8(at), bytes.subarray(at + 2, end)])
    at = end
  }
  return entries
}

/** Type number of the user data entry that holds an object's comment. */
const commentType = (of: ObjectKind) => (of === 'set' ? 7 : 0)

/** User data that holds only a comment, as nft writes it. */
function commentUserdata(comment: string, of: ObjectKind): Uint8Array {
  const value = valueBytes(text, comment, 'comment')
  // A comment must leave room for its entry's type and length, one byte each.
  if (value.length > MAX_USERDATA_BYTES - 2)
    return invalid(`A comment of ${value.length - 1} bytes: at most ${MAX_USERDATA_BYTES - 3} fit`)
  return encodeUserdata([[commentType(of), value]])
}

/** Moves the comment of a new object into its user data. Throws `NftError('INVALID')`. */
export function withUserdata<S extends Pick<RuleSpec, 'comment' | 'userdata'>>(
  spec: S,
  of: ObjectKind,
): S | (Omit<S, 'userdata'> & { readonly userdata: Uint8Array }) {
  const { comment, userdata } = spec
  if (comment === undefined) return spec
  if (userdata !== undefined)
    return invalid('A comment and userdata cannot be combined: the userdata contains the comment')
  return { ...spec, userdata: commentUserdata(comment, of) }
}

/** Comment in an object's user data. `undefined` if there is no comment. */
function commentIn(userdata: Uint8Array, of: ObjectKind): string | undefined {
  return readCString(decodeUserdata(userdata).find(([type]) => type === commentType(of))?.[1])
}

/** User data that a program stored with an nf_tables object, and the comment in it. */
export interface NotesRead {
  readonly comment?: string
  /** User data of the object as bytes, with all entries. See {@link decodeUserdata}. */
  readonly userdata?: Uint8Array
}

/** Adds the `comment` in an object's user data to the object. */
export function withComment<T extends { readonly userdata?: Uint8Array }>(values: T, kind: ObjectKind): T & NotesRead {
  const { userdata } = values
  const comment = userdata === undefined ? undefined : commentIn(userdata, kind)
  return comment === undefined ? values : { ...values, comment }
}
