import type { TLSSocket } from 'node:tls'
import { quote } from '@cni/types'
import type { Trust } from './transport.ts'

/** Time limit in milliseconds for a second connection, which reads the certificate of an untrusted server. */
const TIMEOUT_MS = 2000

/**
 * Describes the certificate of an untrusted server for an error message. Sends no request.
 *
 * @example
 * await presentedCertificate(new URL('https://10.96.0.1'), trust)
 * // 'it presents "CN=kube-apiserver", issued by "CN=a"; known is "CN=b"'
 */
export async function presentedCertificate(url: URL, { ca, serverName }: Trust): Promise<string | undefined> {
  const { connect } = process.getBuiltinModule('node:tls')
  const { isIP } = process.getBuiltinModule('node:net')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const servername = serverName ?? (isIP(host) === 0 ? host : '')
  const socket = connect({ host, port: Number(url.port || 443), servername, rejectUnauthorized: false })
  try {
    const certificate = await leafOf(socket)
    if (certificate === undefined) return undefined
    const { subject, issuer } = certificate
    return `it presents ${quoteName(subject)}, issued by ${quoteName(issuer)}; known is ${knownNames(ca)}`
  } finally {
    socket.destroy()
  }
}

// internal

const leafOf = (socket: TLSSocket) =>
  new Promise<ReturnType<TLSSocket['getPeerX509Certificate']>>((resolve) => {
    socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()))
    socket.once('error', () => resolve(undefined))
    socket.setTimeout(TIMEOUT_MS, () => resolve(undefined))
  })

/** Lists the subjects of the certificates in a CA file, at most three. */
function knownNames(ca: string | undefined): string {
  if (ca === undefined) return "the runtime's own list"
  const { X509Certificate } = process.getBuiltinModule('node:crypto')
  const texts = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  const names = texts.slice(0, 3).map((text) => quoteName(new X509Certificate(text).subject))
  return texts.length > names.length ? `${names.join(', ')} and ${texts.length - names.length} more` : names.join(', ')
}

/** Quotes a certificate's distinguished name on one line. */
const quoteName = (name: string | undefined): string => quote((name ?? '').replaceAll('\n', ', '))
