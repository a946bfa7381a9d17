import { attributeMap, decodeAttributes, MessageWriter, readBe32, readBe64, readCString } from '@cni/netns/netlink'
import { invalid, SetError } from '../errors.ts'
import type { SetEntry } from '../spec-types.ts'
import { type EntryField, fieldsOf } from './entry-fields.ts'
import {
  ATTR_BYTES,
  ATTR_CADT_FLAGS,
  ATTR_COMMENT,
  ATTR_DATA,
  ATTR_LINENO,
  ATTR_PACKETS,
  ATTR_TIMEOUT,
  FLAG_NOMATCH,
  NET_ORDER,
  NLMSGHDR,
} from './protocol.ts'

/** Encodes an entry's text as netlink attributes for the kernel's actual set `type`. */
export function textBytes(set: string, type: string, text: string): Buffer {
  const write = textWriter(set, type)
  return attributesOf((writer) => write(writer, text))
}

/** Encodes entries as netlink attributes. Numbers the entries, because the kernel reports a refused entry's number. */
export function* entriesBytes(
  set: string,
  type: string,
  list: readonly SetEntry[],
  maxBytes: number,
): Generator<Buffer> {
  const write = textWriter(set, type)
  let next = 0
  while (next < list.length) {
    yield attributesOf((writer) => {
      for (; next < list.length && writer.length < maxBytes; next++) {
        const entry = list[next]
        if (entry !== undefined) writeEntry(writer, write, entry, next + 1)
      }
    })
  }
}

/** Decodes the entries of a set. Throws `PARSE` for an unknown set type. */
export function readEntries(set: string, type: string, list: Buffer): SetEntry[] {
  const fields = fieldsOf(type)
  return decodeAttributes(list).map(([, bytes]) => {
    const entry = fields && readEntry(fields, bytes)
    if (entry === undefined)
      throw new SetError('PARSE', `set ${set}: the kernel's answer is not an entry of a ${type} set`)
    return entry
  })
}

// internal

function attributesOf(write: (writer: MessageWriter) => void): Buffer {
  const writer = new MessageWriter().begin(0, 0)
  write(writer)
  return writer.end().take().subarray(NLMSGHDR)
}

type TextWriter = (writer: MessageWriter, text: string) => void

function textWriter(set: string, type: string): TextWriter {
  const fields = fieldsOf(type) ?? []
  return (writer, text) => {
    // Splits no entry that has only one field, because the name of a set may contain commas.
    const texts = fields.length === 1 ? [text] : text.split(',')
    if (texts.length !== fields.length || !fields.every((field, index) => field.write(writer, texts[index] ?? ''))) {
      invalid(`set ${set}: ${JSON.stringify(text)} is not a valid entry, because the existing set has the type ${type}`)
    }
  }
}

function writeEntry(writer: MessageWriter, writeText: TextWriter, entry: SetEntry, number: number): void {
  const { entry: text, timeoutSeconds, comment, nomatch } = entry
  writer.nest(ATTR_DATA)
  writeText(writer, text)
  writer.u32(ATTR_LINENO, number)
  if (timeoutSeconds !== undefined) writer.be32(ATTR_TIMEOUT | NET_ORDER, timeoutSeconds)
  if (nomatch === true) writer.be32(ATTR_CADT_FLAGS | NET_ORDER, FLAG_NOMATCH)
  if (comment !== undefined) writer.string(ATTR_COMMENT, comment)
  writer.end()
}

function readEntry(fields: readonly EntryField[], bytes: Buffer): SetEntry | undefined {
  const data = attributeMap(bytes)
  // Requires only the first field: a `bitmap:ip,mac` entry may lack the MAC address.
  const [start, ...more] = fields.map((field) => field.read(data))
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
