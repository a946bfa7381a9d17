import { formatIPv6 } from './ip.ts'

/** Types of DNS records (RFC 1035 and 3596). */
export const A = 1
export const AAAA = 28
const CNAME = 5
const IN = 1

/** DNS response codes that are a final answer. Any other code is a server failure. */
const NOERROR = 0
const NXDOMAIN = 3

const HEADER = 12
const QUERY = 0x0100
/** DNS header bits for response, opcode and truncation. An answer over TCP is never truncated. */
const KIND = 0xfa00
const ANSWER = 0x8000
const MAX_LABEL = 63
const MAX_NAME = 255
const MAX_RECORDS = 256
const MAX_ALIASES = 16
const MAX_ADDRESSES = 16
const POINTER = 0xc0

export interface Question {
  readonly id: number
  /** DNS name to query, in uncompressed form, as `encodeName` returns it. */
  readonly name: Uint8Array
  readonly type: typeof A | typeof AAAA
}

/** Addresses in a DNS answer, or an empty list. `failed` if the server could not answer. */
export type Answer = readonly string[] | 'failed'

/** Encodes a host name for DNS. Returns `undefined` for an invalid host name. */
export function encodeName(text: string): Uint8Array | undefined {
  const labels = text.replace(/\.$/, '').split('.')
  if (labels.some((label) => label.length > MAX_LABEL || !/^[\x21-\x7e]+$/.test(label))) return undefined
  const codes = labels.flatMap((label) => [label.length, ...Array.from(label, (char) => char.charCodeAt(0))])
  return codes.length < MAX_NAME ? Uint8Array.from([...codes, 0]) : undefined
}

/** Encodes a DNS query, preceded by its length as TCP requires (RFC 7766). */
export function encodeQuery({ id, name, type }: Question): Uint8Array {
  const length = HEADER + name.length + 4
  const bytes = new Uint8Array(2 + length)
  const view = new DataView(bytes.buffer)
  for (const [index, value] of [length, id, QUERY, 1].entries()) view.setUint16(2 * index, value)
  bytes.set(name, 2 + HEADER)
  view.setUint16(bytes.length - 4, type)
  view.setUint16(bytes.length - 2, IN)
  return bytes
}

/**
 * Decodes a message of an untrusted DNS server. Returns `undefined` if the message is malformed or answers another
 * question.
 */
export function readAnswer(message: Uint8Array, { id, name, type }: Question): Answer | undefined {
  try {
    const reader = new Reader(message)
    if (reader.u16() !== id) return undefined
    const flags = reader.u16()
    const [questions, records] = [reader.u16(), reader.u16()]
    if ((flags & KIND) !== ANSWER || questions !== 1 || records > MAX_RECORDS) return undefined
    reader.at = HEADER
    const asked = nameKey(name)
    if (reader.name() !== asked || reader.u16() !== type || reader.u16() !== IN) return undefined
    const code = flags & 0xf
    if (code === NXDOMAIN) return []
    return code === NOERROR ? addressesOf(reader, records, asked, type) : 'failed'
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Addresses in the DNS records of the queried name, or of the last alias (CNAME) of the name. */
function addressesOf(reader: Reader, records: number, asked: string, type: number): string[] | undefined {
  const aliases = new Map<string, string>()
  const found: { readonly owner: string; readonly address: string }[] = []
  for (let index = 0; index < records; index++) {
    const owner = reader.name()
    const [kind, family] = [reader.u16(), reader.u16()]
    // Skips the time to live of a DNS record, because the runtime does not cache addresses.
    reader.at += 4
    const length = reader.u16()
    const end = reader.at + length
    if (family === IN && kind === CNAME) {
      aliases.set(owner, reader.name())
      if (reader.at !== end) return undefined
    } else if (family === IN && kind === type) {
      if (length !== (type === A ? 4 : 16)) return undefined
      found.push({ owner, address: type === A ? reader.ipv4() : reader.ipv6() })
    }
    reader.at = end
  }
  let owner = asked
  for (let hops = 0; hops < MAX_ALIASES; hops++) owner = aliases.get(owner) ?? owner
  // A cyclic or too long chain of DNS aliases (CNAME) gives no address.
  if (aliases.has(owner)) return undefined
  return found
    .filter((one) => one.owner === owner)
    .slice(0, MAX_ADDRESSES)
    .map(({ address }) => address)
}

/** Lower-case text of an encoded DNS name. Its length bytes stay the same, because they are below 64. */
const nameKey = (name: Uint8Array): string => String.fromCharCode(...name).toLowerCase()

/** Reader of a DNS message. Throws a `RangeError` if the message is truncated or a name is malformed. */
class Reader {
  at = 0
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  u16(): number {
    this.at += 2
    return this.#view.getUint16(this.at - 2)
  }

  ipv4(): string {
    return Array.from({ length: 4 }, () => this.#view.getUint8(this.at++)).join('.')
  }

  ipv6(): string {
    return formatIPv6(Array.from({ length: 8 }, () => this.u16()))
  }

  /** Reads a DNS name. Compression pointers must lead backwards, which excludes loops. */
  name(): string {
    const codes: number[] = []
    let from = this.at
    let limit = this.at
    let end: number | undefined
    for (;;) {
      const length = this.#view.getUint8(from++)
      if (length >= POINTER) {
        const target = ((length & ~POINTER) << 8) | this.#view.getUint8(from++)
        if (target >= limit) throw new RangeError('a pointer that does not lead back')
        end ??= from
        limit = target
        from = target
        continue
      }
      if (length > MAX_LABEL || codes.length + length >= MAX_NAME) throw new RangeError('a name that is too long')
      codes.push(length)
      if (length === 0) break
      for (let index = 0; index < length; index++) codes.push(this.#view.getUint8(from++))
    }
    this.at = end ?? from
    return String.fromCharCode(...codes).toLowerCase()
  }
}
