import { coded } from '../errors.ts'

/** Element of a DER encoding (X.690): tag and content. */
export interface Element {
  readonly tag: number
  readonly content: Uint8Array
  /** All bytes of the DER element: tag, length and content. */
  readonly whole: Uint8Array
}

const LONG_FORM = 0x80
/** Maximum number of bytes in the length field of a DER element. Certificates never need more. */
const MAX_LENGTH_BYTES = 3

const damaged = (what: string, code: string): Error =>
  coded(new Error(`error:asn1 encoding routines::${what}`), `ERR_OSSL_ASN1_${code}`)

/** Reads the first DER element of `bytes`. Throws if the element is truncated. */
export function readElement(bytes: Uint8Array): Element {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) throw damaged('header too long', 'HEADER_TOO_LONG')
  const count = first < LONG_FORM ? 0 : first & 0x7f
  if (first === LONG_FORM || count > MAX_LENGTH_BYTES) throw damaged('header too long', 'HEADER_TOO_LONG')
  const start = 2 + count
  const length = count === 0 ? first : bytes.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0)
  if (bytes.length < start + length) throw damaged('header too long', 'HEADER_TOO_LONG')
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) }
}

/** Reads all DER elements in the content of a SEQUENCE or SET. */
export function readElements(content: Uint8Array): Element[] {
  const elements: Element[] = []
  for (let rest = content; rest.length > 0; ) {
    const element = readElement(rest)
    elements.push(element)
    rest = rest.subarray(element.whole.length)
  }
  return elements
}

/** Returns the DER element at an index of a list. Throws if the element has another tag. */
export function expectElement(elements: readonly Element[], index: number, tag: number): Element {
  const element = elements[index]
  if (element?.tag !== tag) throw damaged('wrong tag', 'WRONG_TAG')
  return element
}

/** Converts a DER object identifier to dotted text, such as `2.5.4.3`. */
export function readObjectId(content: Uint8Array): string {
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if ((byte & 0x80) !== 0) continue
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)))
    else arcs.push(arc)
    arc = 0
  }
  return arcs.join('.')
}
