import { closeSync, openSync, readSync } from 'node:fs'

/** Segment of an ELF file: a byte range that the kernel or a loader reads. */
export interface Segment {
  type: number
  offset: bigint
  address: bigint
  /** Size of the ELF segment in the file, in bytes. */
  size: bigint
}

/** A parsed ELF file: 64-bit and little-endian. */
export interface Elf {
  machine: number
  /** Offset at which the ELF file ends, after the section table. */
  end: number
  segments: readonly Segment[]
  bytes(at: bigint, length: number): Buffer
}

/** Parses an ELF file, passes it to `read` and returns `read`'s result; `undefined` for an unsupported file. */
export function withElf<T>(file: string, read: (elf: Elf) => T): T | undefined {
  const fd = openSync(file, 'r')
  try {
    const bytes = (at: bigint, length: number): Buffer => {
      const buffer = Buffer.alloc(length)
      readSync(fd, buffer, 0, length, at)
      return buffer
    }
    const header = bytes(0n, 64)
    if (header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return undefined
    return read({
      machine: header.readUInt16LE(18),
      end: Number(header.readBigUInt64LE(40)) + header.readUInt16LE(58) * header.readUInt16LE(60),
      segments: segmentsOf(header, bytes),
      bytes,
    })
  } finally {
    closeSync(fd)
  }
}

// internal

function segmentsOf(header: Buffer, bytes: Elf['bytes']): Segment[] {
  const size = header.readUInt16LE(54)
  return Array.from({ length: header.readUInt16LE(56) }, (_, index) => {
    const entry = bytes(header.readBigUInt64LE(32) + BigInt(index * size), 56)
    return {
      type: entry.readUInt32LE(0),
      offset: entry.readBigUInt64LE(8),
      address: entry.readBigUInt64LE(16),
      size: entry.readBigUInt64LE(32),
    }
  })
}
