import type { TlsSettings } from './options.ts'
import type { Report } from './report.ts'

/** Flags by which the library Mbed TLS (x509.h) reports faults of a certificate. */
const EXPIRED = 0x01
const OTHER_NAME = 0x04
const NOT_TRUSTED = 0x08
const FUTURE = 0x200
const OTHER_USE = 0x800 | 0x1000 | 0x2000
const WEAK = 0x4000 | 0x8000 | 0x1_0000

/** Error for an untrusted certificate of a TLS server, with Node's code and OpenSSL's text. */
export interface Distrust {
  readonly code: string
  readonly message: string
}

/** Returns the first reason to distrust the server's certificate, in the order in which Node.js checks. */
export function distrustOf(report: Report, { identity, isPartial }: TlsSettings): Distrust | undefined {
  const { flags } = report
  if (flags === 0) return undefined
  if ((flags & FUTURE) !== 0) return { code: 'CERT_NOT_YET_VALID', message: 'certificate is not yet valid' }
  if ((flags & EXPIRED) !== 0) return { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' }
  if ((flags & WEAK) !== 0) {
    return { code: 'CERT_SIGNATURE_FAILURE', message: 'certificate has a key or a signature that is too weak' }
  }
  if ((flags & OTHER_USE) !== 0) return { code: 'INVALID_PURPOSE', message: 'unsuitable certificate purpose' }
  if ((flags & NOT_TRUSTED) !== 0) return untrusted(report, isPartial)
  if ((flags & OTHER_NAME) !== 0) {
    const message = `Hostname/IP does not match certificate's altnames: ${identity} is not in the certificate`
    return { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message }
  }
  return { code: 'CERT_REJECTED', message: `certificate rejected (0x${flags.toString(16)})` }
}

function untrusted({ above, isSelfSigned }: Report, isPartial: boolean): Distrust {
  if (isSelfSigned && above === 0) return { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed certificate' }
  if (isSelfSigned) {
    return { code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed certificate in certificate chain' }
  }
  if (above === 0 && !isPartial) {
    return { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', message: 'unable to verify the first certificate' }
  }
  return { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', message: 'unable to get local issuer certificate' }
}
