import type { Buffer } from '../buffer/buffer.ts'
import { bytesOf } from '../buffer/bytes-of.ts'
import { createHash, createHmac, type Data, getHashes, Hash, Hmac } from '../crypto/hash.ts'
import { randomBytes, randomFillSync, randomInt, randomUUID } from '../crypto/random.ts'
import { coded } from '../errors.ts'
import { X509Certificate } from '../x509/certificate.ts'

export {
  createHash,
  createHmac,
  getHashes,
  Hash,
  Hmac,
  randomBytes,
  randomFillSync,
  randomInt,
  randomUUID,
  X509Certificate,
}

/** Implements Node's `hash('sha256', data)`: returns a digest in one call. The default encoding is hexadecimal. */
export function hash(algorithm: string, data: Data, encoding = 'hex'): string | Buffer {
  const made = createHash(algorithm).update(data)
  return encoding === 'buffer' ? made.digest() : made.digest(encoding)
}

/** Implements Node's `timingSafeEqual`: compares two buffers in constant time. */
export function timingSafeEqual(first: ArrayBufferView, second: ArrayBufferView): boolean {
  const [a, b] = [bytesOf(first), bytesOf(second)]
  if (a.length !== b.length) {
    const message = 'Input buffers must have the same byte length'
    throw coded(new RangeError(message), 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH')
  }
  let difference = 0
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}

export default {
  createHash,
  createHmac,
  getHashes,
  hash,
  Hash,
  Hmac,
  randomBytes,
  randomFillSync,
  randomInt,
  randomUUID,
  timingSafeEqual,
  X509Certificate,
}
