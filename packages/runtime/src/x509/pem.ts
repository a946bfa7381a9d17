import { coded } from '../errors.ts'
import { host } from '../host.ts'

const damaged = (what: string): Error => {
  const code = `ERR_OSSL_PEM_${what.toUpperCase().replaceAll(' ', '_')}`
  return coded(new Error(`error:PEM routines::${what}`), code)
}

/** Bytes of the first PEM block with a matching label. */
export function firstPem(text: string, label: RegExp): Uint8Array {
  for (const { 1: name = '', index, 0: begin } of text.matchAll(/^-----BEGIN ([^\n]*?)-----[\t ]*\r?$/gm)) {
    if (!label.test(name)) continue
    const rest = text.slice(index + begin.length)
    const end = rest.search(/^-----END /m)
    if (end < 0 || !rest.startsWith(`-----END ${name}-----`, end)) throw damaged('bad end line')
    // Skips the headers of a PEM block; an empty line ends the headers.
    const body = rest.slice(0, end).replace(/^\s*(?:[\w-]+:[^\n]*\n)+\s*\n/, '')
    if (/[^A-Za-z\d+/=\s]/.test(body)) throw damaged('bad base64 decode')
    return host.fromBase64(body)
  }
  throw damaged('no start line')
}
