/** Offsets of the ELF header fields from which the minimum file length is computed; see elf(5). */
const LAYOUTS = {
  is32: { header: 52, segments: 28, sections: 32, sizes: 42, segment: [4, 16], section: [16, 20] },
  is64: { header: 64, segments: 32, sections: 40, sizes: 54, segment: [8, 32], section: [24, 32] },
} as const

/** Type of an ELF section that occupies no bytes in the file, such as `.bss`. */
const SHT_NOBITS = 8

/** Reads `length` bytes of an ELF file at an offset. Returns fewer bytes at the end of the file. */
export type ReadBytes = (at: number, length: number) => Uint8Array

/** Minimum length of an ELF file from its headers. `Infinity` for an incomplete table. */
export function elfLength(read: ReadBytes): number | undefined {
  const ident = read(0, 6)
  const magic = Buffer.from(ident.subarray(0, 4)).toString('latin1')
  if (magic === '' || !'\u007fELF'.startsWith(magic)) return undefined
  const is64 = ident[4] !== 1
  const isLittle = ident[5] !== 2
  const layout = is64 ? LAYOUTS.is64 : LAYOUTS.is32
  const header = fields(read(0, layout.header), is64, isLittle)
  if (header.length < layout.header) return Number.POSITIVE_INFINITY
  const { sizes, segment, section } = layout
  let end: number = layout.header
  for (const [table, size, entry] of [
    [layout.segments, sizes, segment],
    [layout.sections, sizes + 4, section],
  ] as const) {
    const at = header.word(table)
    const [width, count] = [header.short(size), header.short(size + 2)]
    const rows = read(at, width * count)
    if (rows.length < width * count) return Number.POSITIVE_INFINITY
    end = Math.max(end, at + rows.length)
    for (let row = 0; row < rows.length; row += width) {
      const one = fields(rows.subarray(row, row + width), is64, isLittle)
      if (one.length < entry[1] + 8) return Number.POSITIVE_INFINITY
      if (entry === section && one.int(4) === SHT_NOBITS) continue
      end = Math.max(end, one.word(entry[0]) + one.word(entry[1]))
    }
  }
  return end
}

/** Reads numbers from the bytes of an ELF header or table row. */
function fields(bytes: Uint8Array, is64: boolean, isLittle: boolean) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return {
    length: bytes.length,
    short: (at: number) => view.getUint16(at, isLittle),
    int: (at: number) => view.getUint32(at, isLittle),
    /** Reads an address, an offset or a size of the ELF file's width. */
    word: (at: number) => (is64 ? Number(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle)),
  }
}
