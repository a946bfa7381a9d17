import { notSupported } from '../errors.ts'
import { host } from '../host.ts'
import { ipAddress } from '../net/address.ts'
import { isIP } from '../net/ip.ts'

type Pem = string | Uint8Array
type Pems = Pem | readonly Pem[]

/** Options of a TLS client, as Node has them. */
export interface TlsOptions {
  readonly host?: string
  readonly port?: number | string
  readonly servername?: string
  readonly ca?: Pems
  readonly cert?: Pems
  readonly key?: Pems
  readonly rejectUnauthorized?: boolean
  /** Selects the error code for an untrusted server, but does not change trust. */
  readonly allowPartialTrustChain?: boolean
  readonly secureContext?: SecureContext
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/** Options for the TLS child process: certificates, keys and settings, and the expected identity of the server. */
export interface TlsSettings {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  /** Host name or IP address that the server's certificate must have. */
  readonly identity: string
  /** Host name that the server's certificate must have. `undefined` if the certificate must have an IP address. */
  readonly name: string | undefined
  /** IP address that the server's certificate must have. `undefined` if the certificate must have a host name. */
  readonly address: Uint8Array | undefined
  readonly insecure: boolean
  readonly isPartial: boolean
}

/** Certificates and key for TLS connections, as `tls.createSecureContext` returns them. */
export class SecureContext {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined

  constructor(options: TlsOptions) {
    refuseUnknown(options)
    this.ca = pemText(options.ca)
    this.cert = pemText(options.cert)
    this.key = pemText(options.key)
  }
}

/** Rejected TLS options. The options change trust or data, so ignoring an option would be dangerous. */
const LACKING = [
  ...['ALPNProtocols', 'checkServerIdentity', 'ciphers', 'crl', 'lookup', 'maxVersion', 'minVersion', 'passphrase'],
  ...['pfx', 'pskCallback', 'secureOptions', 'secureProtocol', 'session', 'sigalgs', 'socket'],
]

function refuseUnknown(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && LACKING.includes(name)) throw notSupported(`the option ${name} of TLS`)
  }
}

export function tlsSettings(options: TlsOptions): TlsSettings {
  refuseUnknown(options)
  const { ca, cert, key } = options.secureContext ?? new SecureContext(options)
  const identity = (options.servername || options.host || 'localhost').replace(/\.$/, '')
  const isAddress = isIP(identity) !== 0
  return {
    ca,
    cert,
    key,
    identity,
    name: isAddress ? undefined : identity,
    address: isAddress ? addressBytes(identity) : undefined,
    insecure: options.rejectUnauthorized === false,
    isPartial: options.allowPartialTrustChain === true,
  }
}

function pemText(given: Pems | undefined): string | undefined {
  if (given === undefined) return undefined
  const list = typeof given === 'string' || given instanceof Uint8Array ? [given] : given
  return list.map((one) => (typeof one === 'string' ? one : host.decode(one))).join('\n')
}

/** Converts the text of an IP address to its 4 or 16 bytes. */
function addressBytes(address: string): Uint8Array | undefined {
  const bytes = ipAddress(address, 0)
  return isIP(address) === 4 ? bytes?.subarray(4, 8) : bytes?.subarray(8, 24)
}
