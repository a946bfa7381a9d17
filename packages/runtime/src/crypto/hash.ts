import { type Buffer, wrap } from '../buffer/buffer.ts'
import { bytesOf } from '../buffer/bytes-of.ts'
import { encodeText, encodingOf } from '../buffer/encodings.ts'
import { coded, invalidType } from '../errors.ts'
import { BlockHash, type Compression } from './block-hash.ts'
import { Md5 } from './md5.ts'
import { Sha1 } from './sha1.ts'
import { Sha256 } from './sha256.ts'
import { Sha512 } from './sha512.ts'

const algorithms: Readonly<Record<string, () => Compression>> = {
  md5: () => new Md5(),
  sha1: () => new Sha1(),
  sha256: () => new Sha256(),
  sha384: () => new Sha512(48),
  sha512: () => new Sha512(),
}

export const getHashes = (): string[] => Object.keys(algorithms)

function makeHash(algorithm: string): BlockHash {
  const make = algorithms[algorithm.toLowerCase().replace(/^(sha)-/, '$1')]
  if (make === undefined) {
    const message = `Digest method not supported: ${algorithm.slice(0, 40)}; known are ${getHashes().join(', ')}`
    throw coded(new Error(message), 'ERR_OSSL_EVP_UNSUPPORTED')
  }
  return new BlockHash(make())
}

export type Data = string | ArrayBufferView

export function dataBytes(data: unknown, encoding?: string): Uint8Array {
  if (typeof data === 'string') return encodeText(data, encodingOf(encoding))
  if (ArrayBuffer.isView(data)) return bytesOf(data)
  throw invalidType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data)
}

export class Hash {
  readonly #hash: BlockHash
  #isDone = false

  constructor(hash: BlockHash) {
    this.#hash = hash
  }

  update(data: Data, encoding?: string): this {
    if (this.#isDone) throw finalized()
    this.#hash.update(dataBytes(data, encoding))
    return this
  }

  digest(): Buffer
  digest(encoding: string): string
  digest(encoding?: string): Buffer | string {
    if (this.#isDone) throw finalized()
    this.#isDone = true
    const bytes = wrap(this.#hash.digest())
    return encoding === undefined || encoding === 'buffer' ? bytes : bytes.toString(encoding)
  }

  copy(): Hash {
    if (this.#isDone) throw finalized()
    return new Hash(this.#hash.clone())
  }
}

const finalized = (): Error => coded(new Error('Digest already called'), 'ERR_CRYPTO_HASH_FINALIZED')

export const createHash = (algorithm: string): Hash => new Hash(makeHash(algorithm))

/** Implements HMAC (RFC 2104), a keyed hash. */
export class Hmac {
  readonly #inner: BlockHash
  readonly #outer: BlockHash

  constructor(algorithm: string, key: Uint8Array) {
    const size = algorithm.includes('384') || algorithm.includes('512') ? 128 : 64
    const padded = new Uint8Array(size)
    padded.set(key.length > size ? dataBytes(createHash(algorithm).update(key).digest()) : key)
    this.#inner = makeHash(algorithm)
    this.#outer = makeHash(algorithm)
    this.#inner.update(padded.map((byte) => byte ^ 0x36))
    this.#outer.update(padded.map((byte) => byte ^ 0x5c))
  }

  update(data: Data, encoding?: string): this {
    this.#inner.update(dataBytes(data, encoding))
    return this
  }

  digest(encoding?: string): Buffer | string {
    this.#outer.update(this.#inner.digest())
    const bytes = wrap(this.#outer.digest())
    return encoding === undefined || encoding === 'buffer' ? bytes : bytes.toString(encoding)
  }
}

export const createHmac = (algorithm: string, key: Data): Hmac => new Hmac(algorithm, dataBytes(key))
