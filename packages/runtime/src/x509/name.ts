import { host } from '../host.ts'
import { expectElement, readElement, readElements, readObjectId } from './der.ts'

const SET = 0x31
const OBJECT_ID = 0x06
const BMP_STRING = 0x1e
/** DER tags of string types with one byte for each character: PrintableString, T61String and IA5String. */
const LATIN1 = new Set([0x13, 0x14, 0x16])

/** Short names of X.509 name attributes (`CN`, `O` …) by their object identifier, as OpenSSL abbreviates them. */
const names: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'street',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'title',
  '2.5.4.13': 'description',
  '2.5.4.15': 'businessCategory',
  '2.5.4.17': 'postalCode',
  '2.5.4.41': 'name',
  '2.5.4.42': 'GN',
  '2.5.4.43': 'initials',
  '2.5.4.97': 'organizationIdentifier',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
}

/** Formats an X.509 distinguished name as Node prints it, with one attribute on each line. */
export function formatName(der: Uint8Array): string {
  return readElements(readElement(der).content)
    .map((part) =>
      readElements(part.tag === SET ? part.content : part.whole)
        .map(formatAttribute)
        .join(' + '),
    )
    .join('\n')
}

function formatAttribute({ content }: { readonly content: Uint8Array }): string {
  const [type, value] = readElements(content)
  if (type === undefined || value === undefined) return ''
  const id = readObjectId(expectElement([type], 0, OBJECT_ID).content)
  return `${names[id] ?? id}=${escaped(textOf(value.tag, value.content))}`
}

function textOf(tag: number, content: Uint8Array): string {
  if (LATIN1.has(tag)) return Array.from(content, (byte) => String.fromCharCode(byte)).join('')
  if (tag !== BMP_STRING) return host.decode(content)
  const units = Array.from({ length: content.length >> 1 }, (_, at) => at * 2)
  return units.map((at) => String.fromCharCode((content[at] ?? 0) * 256 + (content[at + 1] ?? 0))).join('')
}

/** Escapes a part of an X.509 name by RFC 2253. Control characters become hexadecimal numbers. */
const escaped = (text: string): string =>
  text
    .replace(/[,+"\\<>;]/g, '\\$&')
    .replace(/^[# ]|(?!^) $/g, '\\$&')
    .replace(/\p{Cc}/gu, (letter) => (letter > '\x7f' ? letter : hex(letter)))

const hex = (letter: string): string => `\\${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
