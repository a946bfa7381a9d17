import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import {
  asn1Null,
  asn1True,
  bitString,
  integer,
  octetString,
  oid,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der.ts'

/** TLS certificate and its private key, both as PEM text. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Certificate authority for tests: its own certificate, and methods to issue other certificates. */
export interface Authority extends Certificate {
  /** Issues a server certificate for the given DNS names and IP addresses. */
  issue(commonName: string, hosts: readonly string[], options?: CertificateOptions): Certificate
  /** Issues the certificate of an intermediate authority. */
  issueAuthority(commonName: string, options?: CertificateOptions): Authority
}

/** Kinds of keys that a test certificate can have. */
type KeyKind = NonNullable<CertificateOptions['key']>

/** Options of a test certificate. Default: a P-256 key, and the validity of the issuing authority. */
export interface CertificateOptions {
  readonly key?: 'P-256' | 'P-384' | 'P-521' | 'RSA-2048' | 'RSA-4096' | 'Ed25519'
  /** Allowed use of the certificate: by a TLS server, or by a TLS client. Default: `server`. */
  readonly use?: 'server' | 'client'
  /** Start of the certificate's validity. */
  readonly notBefore?: Date
  /** End of the certificate's validity. */
  readonly notAfter?: Date
}

type Validity = Pick<CertificateOptions, 'notBefore' | 'notAfter'>

/**
 * Creates a self-signed certificate authority with a new key. Needs neither `openssl` nor a dependency.
 *
 * @example
 * const ca = createAuthority('test-ca')
 * const server = ca.issue('kube-apiserver', ['localhost', '127.0.0.1', '::1'])
 */
export function createAuthority(commonName: string, options: CertificateOptions = {}): Authority {
  return authority(commonName, options, undefined)
}

/** Creates a self-signed certificate that is not an authority. */
export function selfSigned(
  commonName: string,
  hosts: readonly string[],
  options: CertificateOptions = {},
): Certificate {
  const { publicKey, privateKey } = keyPair(options)
  const subject = name(commonName)
  const extensions = leafExtensions(publicKey, publicKey, hosts, options.use ?? 'server')
  const cert = certify({
    issuer: subject,
    subject,
    key: publicKey,
    signingKey: privateKey,
    extensions,
    validity: options,
  })
  return { cert, key: pkcs8(privateKey) }
}

/** Authority that signs a test certificate: its name and keys. */
interface Signer {
  readonly issuer: Uint8Array
  readonly signingKey: KeyObject
  readonly signerKey: KeyObject
}

/** Creates a certificate authority that is signed by another authority or by itself. */
function authority(commonName: string, options: CertificateOptions, signedBy: Signer | undefined): Authority {
  const { publicKey, privateKey } = keyPair(options)
  const own: Signer = { issuer: name(commonName), signingKey: privateKey, signerKey: publicKey }
  const { signerKey, ...signer } = signedBy ?? own
  const extensions = caExtensions(publicKey, signerKey)
  return {
    cert: certify({ ...signer, validity: options, subject: own.issuer, key: publicKey, extensions }),
    key: pkcs8(privateKey),
    issue(subjectName, hosts, more) {
      const leaf = keyPair(more)
      const extensions = leafExtensions(leaf.publicKey, publicKey, hosts, more?.use ?? 'server')
      const validity = { ...options, ...more }
      return {
        cert: certify({ ...own, validity, subject: name(subjectName), key: leaf.publicKey, extensions }),
        key: pkcs8(leaf.privateKey),
      }
    },
    issueAuthority: (subjectName, more) => authority(subjectName, { ...options, ...more }, own),
  }
}

const keyKinds: Readonly<Record<KeyKind, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  'RSA-2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'RSA-4096': () => generateKeyPairSync('rsa', { modulusLength: 4096 }),
  Ed25519: () => generateKeyPairSync('ed25519'),
}

const keyPair = ({ key = 'P-256' }: CertificateOptions = {}) => keyKinds[key]()

/** Chooses the signature algorithm for a key: Ed25519, or RSA or ECDSA with SHA-256. Larger curves use SHA-384. */
function signing(key: KeyObject): { readonly algorithm: Uint8Array; readonly hash: string | null } {
  const curve = key.asymmetricKeyDetails?.namedCurve
  if (key.asymmetricKeyType === 'ed25519') return { algorithm: sequence(oid('1.3.101.112')), hash: null }
  if (key.asymmetricKeyType === 'rsa') {
    return { algorithm: sequence(oid('1.2.840.113549.1.1.11'), asn1Null()), hash: 'sha256' }
  }
  return curve === 'prime256v1'
    ? { algorithm: sequence(oid('1.2.840.10045.4.3.2')), hash: 'sha256' }
    : { algorithm: sequence(oid('1.2.840.10045.4.3.3')), hash: 'sha384' }
}

interface Request {
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly key: KeyObject
  readonly signingKey: KeyObject
  readonly extensions: readonly Uint8Array[]
  readonly validity: Validity
}

function certify({ issuer, subject, key, signingKey, extensions, validity }: Request): string {
  const now = Date.now()
  const notBefore = validity.notBefore ?? new Date(now - 5 * minute)
  const notAfter = validity.notAfter ?? new Date(now + 7 * day)
  const { algorithm, hash } = signing(signingKey)
  const body = sequence(
    tagged(0, integer(2n)), // version 3
    integer(BigInt(`0x${randomBytes(16).toString('hex')}`)),
    algorithm,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    key.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions)),
  )
  return pem('CERTIFICATE', sequence(body, algorithm, bitString(sign(hash, body, signingKey))))
}

const caExtensions = (key: KeyObject, signer: KeyObject): Uint8Array[] => [
  critical('2.5.29.19', sequence(asn1True())), // basicConstraints: the certificate is an authority (CA)
  critical('2.5.29.15', bitString(Buffer.from([0b0000_0110]), 1)), // keyUsage: the key may sign certificates and CRLs
  extension('2.5.29.14', octetString(keyId(key))), // subjectKeyIdentifier
  extension('2.5.29.35', sequence(tagged(0, keyId(signer), 'primitive'))), // authorityKeyIdentifier
]

const uses = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

const leafExtensions = (
  key: KeyObject,
  authority: KeyObject,
  hosts: readonly string[],
  use: keyof typeof uses,
): Uint8Array[] => [
  critical('2.5.29.15', bitString(Buffer.from([0b1000_0000]), 7)), // keyUsage: the key may sign TLS handshakes
  extension('2.5.29.37', sequence(oid(uses[use]))), // extKeyUsage
  extension('2.5.29.14', octetString(keyId(key))),
  extension('2.5.29.35', sequence(tagged(0, keyId(authority), 'primitive'))), // authorityKeyIdentifier
  ...(hosts.length === 0 ? [] : [extension('2.5.29.17', sequence(...hosts.map(generalName)))]), // subjectAltName
]

const extension = (id: string, value: Uint8Array): Buffer => sequence(oid(id), octetString(value))

const critical = (id: string, value: Uint8Array): Buffer => sequence(oid(id), asn1True(), octetString(value))

const name = (commonName: string): Buffer => sequence(set(sequence(oid('2.5.4.3'), utf8String(commonName))))

const generalName = (host: string): Buffer =>
  isIP(host) === 0 ? tagged(2, Buffer.from(host, 'latin1'), 'primitive') : tagged(7, addressBytes(host), 'primitive')

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [left, right] = [groups(head), groups(tail ?? '')]
  const all = tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill(0), ...right]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

/** Computes the key identifier of a certificate. RFC 5280 permits any method that gives unique identifiers. */
const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()

const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`

const minute = 60_000
const day = 24 * 60 * minute
