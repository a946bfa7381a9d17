import { formatName } from '../x509/name.ts'

/** Bytes of a report: `TlsReport` in native/tls.h. */
export const REPORT_SIZE = 1048

const NAME_SIZE = 512
const SUBJECT_AT = REPORT_SIZE - 2 * NAME_SIZE

/** Where a child stopped: `ready`, or the step that failed. In the order of native/tls.h. */
const STAGES = ['ready', 'sandbox', 'ca', 'cert', 'key', 'pair', 'setup', 'handshake'] as const
export type Stage = (typeof STAGES)[number]

/** Result of a handshake, as the child reports it. */
export interface Report {
  readonly stage: Stage
  readonly error: number
  readonly flags: number
  /** Certificates above the server's own in the chain. */
  readonly above: number
  /** True if the last certificate of the chain is self-signed. */
  readonly isSelfSigned: boolean
  readonly version: number
  readonly alert: number
  readonly subject: string
  readonly issuer: string
}

/**
 * Reads the first bytes of a child. A server may have taken the child over: any bytes are possible. `undefined` for what
 * no child of ours sends.
 */
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
    // The certificate has a name that is no DER, or one that is longer than a report takes.
    return ''
  }
}
