import { formatAddress, parseAddress } from '@cni/types/ip'
import { checkInteger, describeValue, invalid } from './errors.ts'

/**
 * Encoder and decoder for a key or value of a BPF map. The encoded bytes have the size and layout of the type in C.
 * Throws `EbpfError('INVALID')` for an invalid value.
 */
export interface Codec<T> {
  /** Size of an encoded value in bytes. */
  readonly size: number
  /** Alignment of the value in a struct in bytes, as in C. */
  readonly align: number
  /** Encodes a value into a buffer. `name` is the value's name in error messages. */
  write(value: T, bytes: Buffer, at: number, name: string): void
  /** Decodes a value from a buffer. */
  read(bytes: Buffer, at: number): T
}

/**
 * Codec for an integer of C. Types `u8` to `u64` have host byte order. Types `be16` (a port) and `be32` have network
 * byte order. 64-bit integers are bigints.
 *
 * @example
 * const endpoint = struct({ address: ipv4, port: int('be16') })
 */
export function int(type: 'u8' | 'u16' | 'u32' | 'be16' | 'be32'): Codec<number>
export function int(type: 'u64'): Codec<bigint>
export function int(type: keyof typeof integers | 'u64'): Codec<number> | Codec<bigint> {
  return type === 'u64' ? u64 : integers[type]
}

/** Codec for an IPv4 address, such as `10.0.0.5`, as `__be32`. */
export const ipv4: Codec<string> = address(4, 'IPv4')
/** Codec for an IPv6 address, such as `2001:db8::1`, as `struct in6_addr`. */
export const ipv6: Codec<string> = address(16, 'IPv6')

/** Codec for a hardware address, such as `02:00:00:00:00:01`, as `__u8[6]`. */
export const mac: Codec<string> = {
  size: 6,
  align: 1,
  write(value, bytes, at, name) {
    if (typeof value !== 'string' || !/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(value)) {
      invalid(`${name}: expected a MAC address like 02:00:00:00:00:01, got ${describeValue(value)}`)
    }
    bytes.write(value.replaceAll(':', ''), at, 'hex')
  },
  read: (bytes, at) => bytes.toString('hex', at, at + 6).replace(/..(?!$)/g, '$&:'),
}

/** Codec for a fixed number of bytes, as `__u8[size]`. Decoding returns a copy. */
export function bytes(size: number): Codec<Uint8Array> {
  return {
    size: checkInteger(size, 0, 0xffff, 'bytes'),
    align: 1,
    write(value, into, at, name) {
      if (!(value instanceof Uint8Array) || value.length !== size) {
        invalid(
          `${name}: expected ${size} bytes, got ${value instanceof Uint8Array ? value.length : describeValue(value)}`,
        )
      }
      into.set(value, at)
    },
    read: (from, at) => Uint8Array.from(from.subarray(at, at + size)),
  }
}

/**
 * Codec for a C struct with the padding of a C compiler. Padding bytes are zero.
 *
 * @example
 * ```ts
 * import { ipv4, mac, struct, u32 } from '@cni/ebpf'
 *
 * export const pod = struct({ ifindex: u32, mac, address: ipv4 }) // 16 bytes: two of padding before the address
 * ```
 */
export function struct<M extends Readonly<Record<string, Codec<unknown>>>>(
  members: M,
): Codec<{ readonly [Name in keyof M]: ReturnType<M[Name]['read']> }> {
  let end = 0
  let align = 1
  const offsets = Object.entries(members).map(([name, member]) => {
    const at = roundUp(end, member.align)
    end = at + member.size
    align = Math.max(align, member.align)
    return { name, member, at }
  })
  return {
    size: roundUp(end, align),
    align,
    write(value, into, start, name) {
      if (typeof value !== 'object' || value === null)
        invalid(`${name}: expected an object, got ${describeValue(value)}`)
      for (const each of offsets)
        each.member.write(Reflect.get(value, each.name), into, start + each.at, `${name}.${each.name}`)
    },
    read(from, start) {
      const entries = offsets.map((each) => [each.name, each.member.read(from, start + each.at)])
      // The type assertion is safe, because the object has one decoded value for each member of the struct.
      return Object.fromEntries(entries) as { readonly [Name in keyof M]: ReturnType<M[Name]['read']> }
    },
  }
}

/** Encodes a value as the bytes of a map's key or value. */
export function encode<T>(codec: Codec<T>, value: T, name: string): Buffer {
  const into = Buffer.alloc(codec.size)
  codec.write(value, into, 0, name)
  return into
}

// internal

const integers = {
  u8: integer(
    1,
    (bytes, value, at) => bytes.writeUInt8(value, at),
    (bytes, at) => bytes.readUInt8(at),
  ),
  u16: integer(
    2,
    (bytes, value, at) => bytes.writeUInt16LE(value, at),
    (bytes, at) => bytes.readUInt16LE(at),
  ),
  u32: integer(
    4,
    (bytes, value, at) => bytes.writeUInt32LE(value, at),
    (bytes, at) => bytes.readUInt32LE(at),
  ),
  be16: integer(
    2,
    (bytes, value, at) => bytes.writeUInt16BE(value, at),
    (bytes, at) => bytes.readUInt16BE(at),
  ),
  be32: integer(
    4,
    (bytes, value, at) => bytes.writeUInt32BE(value, at),
    (bytes, at) => bytes.readUInt32BE(at),
  ),
}

const u64: Codec<bigint> = {
  size: 8,
  align: 8,
  write(value, bytes, at, name) {
    if (typeof value !== 'bigint' || BigInt.asUintN(64, value) !== value) {
      invalid(`${name}: expected a bigint from 0n to 2n ** 64n - 1n, got ${describeValue(value)}`)
    }
    bytes.writeBigUInt64LE(value, at)
  },
  read: (bytes, at) => bytes.readBigUInt64LE(at),
}

const roundUp = (value: number, align: number): number => Math.ceil(value / align) * align

function integer(
  size: number,
  put: (bytes: Buffer, value: number, at: number) => void,
  read: (bytes: Buffer, at: number) => number,
): Codec<number> {
  const most = 2 ** (8 * size) - 1
  return {
    size,
    align: size,
    write: (value, into, at, name) => put(into, checkInteger(value, 0, most, name), at),
    read,
  }
}

function address(size: 4 | 16, family: string): Codec<string> {
  return {
    size,
    align: 4,
    write(value, into, at, name) {
      const parsed = typeof value === 'string' ? parseAddress(value) : undefined
      if (parsed === undefined || parsed.length !== size) {
        invalid(`${name}: expected an ${family} address, got ${describeValue(value)}`)
      }
      into.set(parsed, at)
    },
    read: (from, at) => formatAddress(from.subarray(at, at + size)),
  }
}
