import { type Elf, withElf } from './elf.ts'

/** What an executable needs of the machine it is copied to, read from the file itself. */
export interface HostNeeds {
  /** The program loader, for example `/lib64/ld-linux-x86-64.so.2`. */
  loader: string
  /** Shared libraries beside the C library's own, for example `libatomic.so.1`. */
  libraries: readonly string[]
  /** The oldest glibc that will do, for example `2.17`; absent for musl. */
  glibc?: string
}

const PT_LOAD = 1
const PT_DYNAMIC = 2
const PT_INTERP = 3
const DT_NEEDED = 1n
const DT_STRTAB = 5n
const DT_VERNEED = 0x6ffffffen
const DT_VERNEEDNUM = 0x6fffffffn

/** Parts of the C library itself, and the loader. */
const OF_THE_C_LIBRARY = /^(lib(c|m|dl|pthread|rt)\.so|lib(c\.)?musl-|ld-)/

/**
 * The loader, libraries and C library version that an ELF executable (64 bit, little-endian) asks for; `undefined` when
 * it is no such file.
 */
export function hostNeeds(executable: string): HostNeeds | undefined {
  return withElf(executable, read)
}

// internal

function read(elf: Elf): HostNeeds | undefined {
  const { segments } = elf
  const interp = segments.find(({ type }) => type === PT_INTERP)
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC)
  if (!interp || !dynamic) return undefined

  const fileOffset = (address: bigint): bigint => {
    const holder = segments.find((s) => s.type === PT_LOAD && address >= s.address && address < s.address + s.size)
    return holder === undefined ? address : address - holder.address + holder.offset
  }
  const table = elf.bytes(dynamic.offset, Number(dynamic.size))
  const entries = Array.from({ length: table.length / 16 }, (_, i) => ({
    tag: table.readBigUInt64LE(i * 16),
    value: table.readBigUInt64LE(i * 16 + 8),
  }))
  const dynamicValue = (tag: bigint): bigint => entries.find((entry) => entry.tag === tag)?.value ?? 0n
  const strings = fileOffset(dynamicValue(DT_STRTAB))
  const libraries = entries.filter(({ tag }) => tag === DT_NEEDED).map(({ value }) => text(elf, strings + value))
  const versions = versionNames(elf, fileOffset(dynamicValue(DT_VERNEED)), Number(dynamicValue(DT_VERNEEDNUM)), strings)
  const glibc = versions
    .map((name) => /^GLIBC_([0-9.]+)$/.exec(name)?.[1])
    .filter((version) => version !== undefined)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
  return {
    loader: text(elf, interp.offset),
    libraries: libraries.filter((name) => !OF_THE_C_LIBRARY.test(name)).sort(),
    ...(glibc === undefined ? {} : { glibc }),
  }
}

/** The versions of symbols it wants: a list of libraries, each with a list of names. */
function versionNames(elf: Elf, first: bigint, count: number, strings: bigint): string[] {
  const names: string[] = []
  for (let at = first, left = count; left > 0; left--) {
    const library = elf.bytes(at, 16)
    for (let aux = at + BigInt(library.readUInt32LE(8)), n = library.readUInt16LE(2); n > 0; n--) {
      const version = elf.bytes(aux, 16)
      names.push(text(elf, strings + BigInt(version.readUInt32LE(8))))
      aux += BigInt(version.readUInt32LE(12))
    }
    at += BigInt(library.readUInt32LE(12))
  }
  return names
}

function text(elf: Elf, at: bigint): string {
  const buffer = elf.bytes(at, 256)
  return buffer.toString('latin1', 0, buffer.indexOf(0))
}
