import { parseAddress } from './parse-address.ts'

/** An address with the length of its network's prefix; bits behind the prefix may be set. */
export interface IpPrefix {
  readonly bytes: Uint8Array
  readonly length: number
}

/**
 * Reads `address/length`, or a bare address as a full-length prefix. As strict as {@link parseAddress}.
 *
 * @example
 * ```ts
 * import { formatAddress, networkAddress, parsePrefix } from '@cni/types/ip'
 *
 * const prefix = parsePrefix('10.1.2.3/8')
 * export const network = prefix && formatAddress(networkAddress(prefix)) // '10.0.0.0'
 * ```
 */
export function parsePrefix(text: string): IpPrefix | undefined {
  const slash = text.indexOf('/')
  const bytes = parseAddress(slash === -1 ? text : text.slice(0, slash))
  if (bytes === undefined) return undefined
  const bits = bytes.length * 8
  if (slash === -1) return { bytes, length: bits }
  const digits = text.slice(slash + 1)
  return /^(0|[1-9]\d{0,2})$/.test(digits) && Number(digits) <= bits ? { bytes, length: Number(digits) } : undefined
}

/** The address with the bits behind its prefix cleared. */
export function networkAddress({ bytes, length }: IpPrefix): Uint8Array {
  return bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, length - index * 8))))
}
