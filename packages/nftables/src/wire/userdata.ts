import { readCString } from '@cni/netns/netlink'
import { text } from './fields/codec.ts'
import { valueBytes } from './fields/fields.ts'
import { invalid } from './nft-error.ts'
import type { ObjectKind } from './object-kind.ts'
import type { RuleSpec } from './specs.ts'

/** At most so many bytes, of all values with their headers. */
const MOST = 256

/**
 * As bytes, in the form of libnftnl. Throws `NftError('INVALID')` for more than fits.
 *
 * @example
 * const note = encodeUserdata([[0, cString('to the proxy')]])
 */
export function encodeUserdata(entries: readonly (readonly [type: number, value: Uint8Array])[]): Uint8Array {
  const bytes = Buffer.alloc(entries.reduce((sum, [, { length }]) => sum + 2 + length, 0))
  if (bytes.length > MOST) return invalid(`Userdata of ${bytes.length} bytes: at most ${MOST} fit`)
  let at = 0
  for (const [type, value] of entries) {
    bytes[at] = type
    bytes[at + 1] = value.length
    bytes.set(value, at + 2)
    at += 2 + value.length
  }
  return bytes
}

/** Reads them, up to the first that is cut. */
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

/** Which type a comment has. */
const commentType = (of: ObjectKind) => (of === 'set' ? 7 : 0)

/** A comment, alone, as nft writes it: at most 253 bytes, without a NUL. */
function commentUserdata(comment: string, of: ObjectKind): Uint8Array {
  const value = valueBytes(text, comment, 'comment')
  // Its length is one byte.
  if (value.length > MOST - 2) return invalid(`A comment of ${value.length - 1} bytes: at most ${MOST - 3} fit`)
  return encodeUserdata([[commentType(of), value]])
}

/** Something to add with its comment as userdata. Throws `NftError('INVALID')`. */
export function withUserdata<S extends Pick<RuleSpec, 'comment' | 'userdata'>>(
  spec: S,
  of: ObjectKind,
): S | (Omit<S, 'userdata'> & { readonly userdata: Uint8Array }) {
  const { comment, userdata } = spec
  if (comment === undefined) return spec
  if (userdata !== undefined) return invalid('A comment and userdata: the one is in the other')
  return { ...spec, userdata: commentUserdata(comment, of) }
}

/** The comment among them, if there is one. */
function commentIn(userdata: Uint8Array, of: ObjectKind): string | undefined {
  return readCString(decodeUserdata(userdata).find(([type]) => type === commentType(of))?.[1])
}

/** What programs noted with something that is there. */
export interface NotesRead {
  readonly comment?: string
  /** All notes, see {@link decodeUserdata}. */
  readonly userdata?: Uint8Array
}

/** Something that was read with its comment, what most read of the notes. */
export function withComment<T extends { readonly userdata?: Uint8Array }>(values: T, kind: ObjectKind): T & NotesRead {
  const { userdata } = values
  const comment = userdata === undefined ? undefined : commentIn(userdata, kind)
  return comment === undefined ? values : { ...values, comment }
}
