import { coded } from '../errors.ts'
import { errnoName } from '../sys/errno.ts'
import type { TlsSettings } from './options.ts'
import type { Report } from './report.ts'
import { distrustOf } from './trust-error.ts'

/** Error codes of Mbed TLS. The low seven bits hold the error of a lower layer. */
const BAD_KEY_KIND = [-0x2600, -0x3c80, -0x3a00]
/** Mbed TLS errors for a certificate with an invalid chain, name or key usage. */
const REFUSED = [-0x2700, -0x7a00]
const NO_AUTHORITY = -0x7680
const ALERT = -0x7780
const CONNECTION_ENDED = [-0x7280, -0x7880, -0x50, -0x4c, -0x4e]
const NO_PEM = -0x1080
const PEM_DAMAGED = [-0x1100, -0x1480]
const PASSWORD_NEEDED = [-0x3c00, -0x1300]

/** TLS alerts (RFC 8446, 6) for which the error message has a text of its own. */
const alerts: Readonly<Record<number, string>> = {
  40: 'handshake failure: its certificate may be of a kind that the small runtime does not know, such as Ed25519',
  42: 'bad certificate',
  43: 'unsupported certificate',
  44: 'certificate revoked',
  45: 'certificate expired',
  46: 'certificate unknown',
  48: 'unknown ca',
  49: 'access denied',
  70: 'protocol version',
  80: 'internal error',
  112: 'unrecognized name',
  116: 'certificate required',
}

const steps = [
  'the descriptors',
  'the signals',
  'the limits',
  'the user',
  'the end with its parent',
  'the system calls',
]

const highOf = (error: number): number => -(-error & 0xff80)
const protocolError = (what: string): Error => coded(new Error(`TLS: ${what}`), 'EPROTO')
export const resetError = (): Error => {
  const message = 'Client network socket disconnected before secure TLS connection was established'
  return coded(new Error(message), 'ECONNRESET')
}

/** Creates the error for a connection whose TLS child process failed before the end of the handshake. */
export function childError(report: Report, settings: TlsSettings): Error {
  const { stage, error } = report
  if (stage === 'sandbox') {
    const what = `TLS: the kernel refused to confine the process for it (${steps[report.flags]}: ${errnoName(error)})`
    return coded(new Error(what), 'ERR_TLS_SANDBOX')
  }
  if (stage === 'ca' || stage === 'cert' || stage === 'key') return unreadable(stage, error, settings[stage] ?? '')
  if (stage === 'pair') {
    const message = 'error:x509 certificate routines::key values mismatch'
    return coded(new Error(message), 'ERR_OSSL_X509_KEY_VALUES_MISMATCH')
  }
  if (stage === 'handshake') return handshakeError(report, settings)
  return protocolError(`the client cannot be set up (${hex(error)})`)
}

/** Creates the error for the exit code of a TLS child process after the handshake. */
export function exitError(code: number | null, signal: string | null): Error | undefined {
  if (code === 0) return undefined
  if (code === 1) return coded(new Error('read ECONNRESET'), 'ECONNRESET')
  if (code !== null && code >= 128) return alertError(code - 128)
  return protocolError(signal === null ? 'the server broke the protocol' : `its process ended by ${signal}`)
}

function handshakeError(report: Report, settings: TlsSettings): Error {
  const { error } = report
  const high = highOf(error)
  const distrust = REFUSED.includes(high) ? distrustOf(report, settings) : undefined
  if (distrust !== undefined) return coded(new Error(distrust.message), distrust.code)
  if (high === NO_AUTHORITY) {
    const message = 'unable to get local issuer certificate: the small runtime trusts nobody without the option ca'
    return coded(new Error(message), 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY')
  }
  if (BAD_KEY_KIND.includes(high)) {
    const message = 'the certificate has a key or a signature that the small runtime does not know, such as Ed25519'
    return coded(new Error(message), 'CERT_UNSUPPORTED_ALGORITHM')
  }
  if (high === ALERT) return alertError(report.alert)
  if (CONNECTION_ENDED.includes(error)) return resetError()
  return protocolError(`the handshake failed (${hex(error)}): does that port speak TLS?`)
}

const alertError = (alert: number): Error =>
  protocolError(`the server ended the connection with alert ${alert}${alert in alerts ? `, ${alerts[alert]}` : ''}`)

/** Creates the error for an invalid certificate or key that the program passed, with OpenSSL's code. */
function unreadable(which: 'ca' | 'cert' | 'key', error: number, text: string): Error {
  const high = highOf(error)
  const failed = (code: string, what: string): Error => coded(new Error(`TLS option ${which}: ${what}`), code)
  if (BAD_KEY_KIND.includes(high)) {
    return failed('ERR_OSSL_UNSUPPORTED', 'a key or a signature that the small runtime does not know, such as Ed25519')
  }
  if (PASSWORD_NEEDED.includes(high)) return failed('ERR_OSSL_BAD_PASSWORD_READ', 'the key is encrypted')
  if (high === NO_PEM || !text.includes('-----BEGIN ')) return failed('ERR_OSSL_PEM_NO_START_LINE', 'no PEM')
  if (PEM_DAMAGED.includes(high)) return failed('ERR_OSSL_PEM_BAD_BASE64_DECODE', 'damaged PEM')
  return failed('ERR_OSSL_ASN1_PARSE_ERROR', `cannot be read (${hex(error)})`)
}

const hex = (error: number): string => `-0x${(-error).toString(16)}`
