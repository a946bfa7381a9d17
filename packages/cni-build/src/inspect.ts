import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Bundle } from './bundle.ts'
import { type Elf, withElf } from './elf.ts'
import { BuildError } from './errors.ts'
import { shareTable } from './share-table.ts'

/**
 * Reads versions and sizes from an executable with the small runtime.
 *
 * @throws BuildError `USAGE` for any other file
 */
export function inspect(file: string): {
  file: string
  /** Versions of the small runtime, QuickJS and musl, and the processor, as recorded in the executable. */
  runtime: string
  quickjs: string
  musl: string
  arch: string
  bytes: number
  /**
   * Sizes in bytes of the native runtime program (`runtimeBytes`), and of the stored JavaScript heap with the evaluated
   * modules (`heapBytes`).
   */
  runtimeBytes: number
  heapBytes: number
  /** Size in bytes of each npm package in the bundle. Empty if no source map lies beside the executable. */
  packages: Bundle['packages']
} {
  const found = existsSync(file) ? withElf(file, read) : undefined
  if (found === undefined) {
    throw new BuildError('USAGE', `inspect: ${file} is not an executable with the small runtime`)
  }
  return { file, ...found.note, bytes: statSync(file).size, ...found.sizes, packages: packagesOf(`${file}.map`) }
}

/** Formats an executable's versions and sizes as lines that `cni-build` prints for the user. */
export function inspectionText({ packages, ...found }: Inspection): string {
  const kilobytes = (bytes: number) => `${(bytes / 1e3).toFixed(1)} kB`
  const lines = [
    `${found.file}: ${kilobytes(found.bytes)}, ${found.arch}`,
    `  runtime   ${found.runtime}, QuickJS ${found.quickjs}, musl ${found.musl}: ${kilobytes(found.runtimeBytes)}`,
    `  heap      ${kilobytes(found.heapBytes)}`,
    packages.length === 0
      ? `  sizes by package are in ${found.file}.map, which is not there`
      : '  source text by package:',
    ...shareTable(packages),
  ]
  return `${lines.join('\n')}\n`
}

// internal

type Inspection = ReturnType<typeof inspect>

const PT_LOAD = 1
const PT_NOTE = 4
/** Memory address of the ELF segment that contains the executable's stored JavaScript heap. */
const HEAP = 0x20_0000_0000n

type Note = Pick<Inspection, 'runtime' | 'quickjs' | 'musl' | 'arch'>

function read(elf: Elf): { note: Note; sizes: Pick<Inspection, 'runtimeBytes' | 'heapBytes'> } | undefined {
  const note = elf.segments
    .filter(({ type }) => type === PT_NOTE)
    .map((segment) => noteIn(elf, segment.offset, segment.size))
  const heap = elf.segments.find(({ type, address }) => type === PT_LOAD && address === HEAP)
  const [own] = note.filter((one) => one !== undefined)
  if (own === undefined || heap === undefined) return undefined
  return { note: own, sizes: { runtimeBytes: Number(heap.offset), heapBytes: Number(heap.size) } }
}

/** Reads the ELF note `CNI`, which contains the versions of the runtime. */
function noteIn(elf: Elf, offset: bigint, size: bigint): Note | undefined {
  const bytes = elf.bytes(offset, Number(size))
  const aligned = (length: number): number => (length + 3) & ~3
  for (let at = 0; at + 12 <= bytes.length; ) {
    const [nameLength, length] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
    const start = at + 12 + aligned(nameLength)
    if (bytes.toString('latin1', at + 12, at + 12 + nameLength) === 'CNI\0') {
      const { runtime, quickjs, musl, arch } = JSON.parse(bytes.toString('utf8', start, start + length))
      return { runtime, quickjs, musl, arch }
    }
    at = start + aligned(length)
  }
  return undefined
}

function packagesOf(map: string): readonly Bundle['packages'][number][] {
  if (!existsSync(map)) return []
  const { x_packages: packages = [] }: { x_packages?: Bundle['packages'][number][] } = JSON.parse(
    readFileSync(map, 'utf8'),
  )
  return packages
}
