import { parseAddress } from './parse-address.ts'

/**
 * Parses an IP prefix `address/length`, as strictly as {@link parseAddress}. An address alone counts as a prefix of
 * full length. Host bits may be set.
 *
 * @example
 * ```ts
 * import { formatAddress, networkAddress, parsePrefix } from '@cni/types/ip'
 *
 * const prefix = parsePrefix('10.1.2.3/8')
 * export const network = prefix && formatAddress(networkAddress(prefix)) // '10.0.0.0'
 * ```
 */
export function parsePrefix(text: string):
  | {
      /** Bytes of the prefix's address: 4 for IPv4, 16 for IPv6. */
      readonly bytes: Uint8Array
      /** Length of the IP prefix in bits. */
      readonly length: number
    }
  | undefined {
  const slash = text.indexOf('/')
  const bytes = parseAddress(slash === -1 ? text : text.slice(0, slash))
  if (bytes === undefined) return undefined
  const bits = bytes.length * 8
  if (slash === -1) return { bytes, length: bits }
  const digits = text.slice(slash + 1)
  return /^(0|[1-9]\d{0,2})$/.test(digits) && Number(digits) <= bits ? { bytes, length: Number(digits) } : undefined
}

/** Network address of a prefix: its address with all host bits cleared. */
export function networkAddress({ bytes, length }: NonNullable<ReturnType<typeof parsePrefix>>): Uint8Array {
  return bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, length - index * 8))))
}
