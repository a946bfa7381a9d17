import {
  type Attribute,
  attributeMap,
  cString,
  decodeAttributes,
  encodeAttributes,
  readBe32,
  readBe64,
  readCString,
  u32,
} from '@cni/netns/netlink'
import { invalid, SetError } from '../errors.ts'
import type { SetEntry } from '../spec-types.ts'
import { type Part, partsOf } from './parts.ts'
import {
  ATTR_BYTES,
  ATTR_CADT_FLAGS,
  ATTR_COMMENT,
  ATTR_DATA,
  ATTR_LINENO,
  ATTR_PACKETS,
  ATTR_TIMEOUT,
  FLAG_NOMATCH,
  number32,
} from './protocol.ts'

/** The attributes of an entry, without those of its options; `type` is what the kernel says the set is. */
export function textAttributes(set: string, type: string, text: string): Attribute[] {
  const parts = partsOf(type) ?? []
  // A name may have commas.
  const texts = parts.length === 1 ? [text] : text.split(',')
  const attributes: Attribute[] = []
  for (const [index, part] of parts.entries()) {
    const written = texts.length === parts.length ? part.write(texts[index] ?? '') : undefined
    if (written === undefined)
      invalid(`set ${set}: ${JSON.stringify(text)} is no entry for it, because it is there as a ${type} set`)
    attributes.push(...written)
  }
  return attributes
}

/** An entry to write, as bytes. `number`, from 1, is what the kernel calls it when it refuses it. */
export function entryBytes(set: string, type: string, entry: SetEntry, number: number): Buffer {
  const { timeoutSeconds, comment, nomatch } = entry
  const attributes = textAttributes(set, type, entry.entry)
  attributes.push([ATTR_LINENO, u32(number)])
  if (timeoutSeconds !== undefined) attributes.push(number32(ATTR_TIMEOUT, timeoutSeconds))
  if (nomatch === true) attributes.push(number32(ATTR_CADT_FLAGS, FLAG_NOMATCH))
  if (comment !== undefined) attributes.push([ATTR_COMMENT, cString(comment)])
  return encodeAttributes([[ATTR_DATA, attributes]])
}

/** The entries of a list. Throws `PARSE` for those of a type that no kernel has yet. */
export function readEntries(set: string, type: string, list: Buffer): SetEntry[] {
  const parts = partsOf(type)
  return decodeAttributes(list).map(([, bytes]) => {
    const entry = parts && readEntry(parts, bytes)
    if (entry === undefined)
      throw new SetError('PARSE', `set ${set}: what the kernel tells is no entry of a ${type} set`)
    return entry
  })
}

// internal

function readEntry(parts: readonly Part[], bytes: Buffer): SetEntry | undefined {
  const data = attributeMap(bytes)
  // A bitmap of addresses may have an entry without its hardware address.
  const [start, ...more] = parts.map((part) => part.read(data))
  if (start === undefined) return undefined
  const timeoutSeconds = readBe32(data.get(ATTR_TIMEOUT))
  const packets = readBe64(data.get(ATTR_PACKETS))
  const count = readBe64(data.get(ATTR_BYTES))
  const comment = readCString(data.get(ATTR_COMMENT))
  return {
    entry: [start, ...more.filter((each) => each !== undefined)].join(','),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(((readBe32(data.get(ATTR_CADT_FLAGS)) ?? 0) & FLAG_NOMATCH) !== 0 && { nomatch: true }),
    ...(packets !== undefined && { packets: Number(packets) }),
    ...(count !== undefined && { bytes: Number(count) }),
    ...(comment !== undefined && { comment }),
  }
}
