import { type Buffer, bufferFrom } from '../buffer/buffer.ts'
import { bytesOf } from '../buffer/bytes-of.ts'
import { invalidType } from '../errors.ts'
import { host } from '../host.ts'
import { type Element, expectElement, readElement, readElements } from './der.ts'
import { formatName } from './name.ts'
import { firstPem } from './pem.ts'

const SEQUENCE = 0x30
const VERSION = 0xa0
/** PEM labels under which OpenSSL accepts a certificate. */
const LABEL = /^(?:X509 |TRUSTED )?CERTIFICATE$/

/** Implements Node's `X509Certificate`: reads subject and issuer of a certificate. Does not verify the certificate. */
export class X509Certificate {
  readonly raw: Buffer
  readonly subject: string
  readonly issuer: string

  /** Parses a certificate in PEM or DER. If the PEM text contains several certificates, parses the first. */
  constructor(given: string | ArrayBufferView) {
    const der = derOf(given)
    const parts = partsOf(der)
    this.raw = bufferFrom(der)
    this.issuer = formatName(parts.issuer.whole)
    this.subject = formatName(parts.subject.whole)
  }
}

function derOf(given: unknown): Uint8Array {
  if (typeof given === 'string') return firstPem(given, LABEL)
  if (!ArrayBuffer.isView(given)) {
    throw invalidType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', given)
  }
  const bytes = bytesOf(given)
  return bytes[0] === SEQUENCE ? bytes : firstPem(host.decode(bytes), LABEL)
}

/** Finds issuer and subject in a DER certificate (RFC 5280, 4.1). */
function partsOf(der: Uint8Array): { readonly issuer: Element; readonly subject: Element } {
  const certificate = expectElement([readElement(der)], 0, SEQUENCE)
  const body = readElements(expectElement(readElements(certificate.content), 0, SEQUENCE).content)
  // A certificate begins with its version. Skips the version, except in a version 1 certificate, which has none.
  const first = body[0]?.tag === VERSION ? 1 : 0
  // After its version, a certificate contains in this order: serial number, algorithm, issuer, validity, subject.
  return { issuer: expectElement(body, first + 2, SEQUENCE), subject: expectElement(body, first + 4, SEQUENCE) }
}
