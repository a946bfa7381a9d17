import { formatName } from '../x509/name.ts'

/** Size in bytes of the report that a TLS child process sends: `TlsReport` in native/tls.h. */
export const REPORT_SIZE = 1048

const NAME_SIZE = 512
const SUBJECT_AT = REPORT_SIZE - 2 * NAME_SIZE

/** Results of a TLS child process, in the order of native/tls.h. */
const STAGES = ['ready', 'sandbox', 'ca', 'cert', 'key', 'pair', 'setup', 'handshake'] as const
export type Stage = (typeof STAGES)[number]

/** Result of a TLS handshake, as the child process reports it. */
export interface Report {
  readonly stage: Stage
  readonly error: number
  readonly flags: number
  /** Number of certificates in the server's chain above the server's own certificate. */
  readonly above: number
  /** True if the last certificate of the server's chain is self-signed. */
  readonly isSelfSigned: boolean
  readonly version: number
  readonly alert: number
  readonly subject: string
  readonly issuer: string
}

/** Decodes the report from a TLS child process. Trusts no byte, because a server may have compromised the child. */
export function readReport(bytes: Uint8Array): Report | undefined {
  if (bytes.length < REPORT_SIZE) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const stage = STAGES[view.getUint32(0, true)]
  if (stage === undefined) return undefined
  const name = (at: number, lengthAt: number): string =>
    readName(bytes.subarray(at, at + Math.min(NAME_SIZE, view.getUint16(lengthAt, true))))
  return {
    stage,
    error: view.getInt32(4, true),
    flags: view.getUint32(8, true),
    above: view.getUint16(12, true),
    isSelfSigned: view.getUint16(14, true) !== 0,
    version: view.getUint16(16, true),
    alert: view.getUint16(18, true),
    subject: name(SUBJECT_AT, 20),
    issuer: name(SUBJECT_AT + NAME_SIZE, 22),
  }
}

function readName(der: Uint8Array): string {
  try {
    return der.length === 0 ? '' : formatName(der)
  } catch {
    // The certificate's name is invalid DER, or longer than a report allows. The result is an empty name.
    return ''
  }
}
