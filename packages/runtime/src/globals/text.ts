import { bytesOf } from '../buffer/bytes-of.ts'
import { cutOff } from '../buffer/utf8-tail.ts'
import { defineGlobal } from '../define.ts'
import { coded } from '../errors.ts'
import { host, type Memory } from '../host.ts'

const latin1 = new Set(['latin1', 'iso-8859-1', 'iso8859-1', 'ascii', 'us-ascii', 'windows-1252', 'cp1252', 'l1'])
const utf8 = new Set(['utf-8', 'utf8', 'unicode-1-1-utf-8'])

class TextEncoder {
  get encoding(): string {
    return 'utf-8'
  }
  encode(text = ''): Uint8Array<ArrayBuffer> {
    return host.encode(`${text}`)
  }
  encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
    return host.encodeInto(`${text}`, into)
  }
}

interface DecoderOptions {
  readonly fatal?: boolean
  readonly ignoreBOM?: boolean
}

/** Implements `TextDecoder` for UTF-8 and windows-1252 with their labels. Other labels throw a RangeError. */
class TextDecoder {
  readonly encoding: string
  readonly fatal: boolean
  readonly ignoreBOM: boolean
  #rest: Uint8Array = new Uint8Array(0)
  #isBomSeen = false

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false }: DecoderOptions = {}) {
    const name = `${label}`.trim().toLowerCase()
    if (!utf8.has(name) && !latin1.has(name)) {
      throw coded(new RangeError(`The "${label}" encoding is not supported`), 'ERR_ENCODING_NOT_SUPPORTED')
    }
    this.encoding = utf8.has(name) ? 'utf-8' : 'windows-1252'
    this.fatal = fatal
    this.ignoreBOM = ignoreBOM
  }

  decode(input?: Memory, { stream = false }: { readonly stream?: boolean } = {}): string {
    const given = input === undefined ? new Uint8Array(0) : bytesOf(input)
    if (this.encoding !== 'utf-8') return decodeWindows1252(given)
    const bytes = this.#rest.length === 0 ? given : joined(this.#rest, given)
    const end = stream ? bytes.length - cutOff(bytes) : bytes.length
    this.#rest = stream ? bytes.slice(end) : new Uint8Array(0)
    let text: string
    try {
      text = host.decode(bytes, 0, end, this.fatal)
    } catch (cause) {
      const error = new TypeError(`The encoded data was not valid for encoding ${this.encoding}`, { cause })
      throw coded(error, 'ERR_ENCODING_INVALID_ENCODED_DATA')
    }
    const hasBom = !this.ignoreBOM && !this.#isBomSeen && text.charCodeAt(0) === 0xfeff
    this.#isBomSeen = stream && (this.#isBomSeen || text.length > 0)
    return hasBom ? text.slice(1) : text
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

const HIGH =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

function decodeWindows1252(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte >= 0x80 && byte < 0xa0 ? HIGH.charAt(byte - 0x80) : String.fromCharCode(byte)
  return text
}

defineGlobal('TextEncoder', TextEncoder)
defineGlobal('TextDecoder', TextDecoder)

export { TextDecoder, TextEncoder }
