import { Stop } from '../progress.ts'
import type { Image } from './oci.ts'
import type { Entry } from './tar.ts'

/** Maximum sizes of a container image of the agent, in megabytes. */
const LIMITS = { unpacked: { full: 133, minimal: 128 }, compressed: { full: 60, minimal: 52 } }

export type Flavour = keyof typeof LIMITS.compressed

/** Size of a container image in bytes, uncompressed and compressed. */
export const sizeOf = ({ layers }: Image) => ({
  unpacked: layers.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0),
  compressed: layers.reduce((sum, { data }) => sum + data.length, 0),
})

/**
 * Checks the content and size of a built container image.
 *
 * @throws Stop if the image is too large, has a shell, lacks a library, or has other programs for nodes
 */
export function inspect(image: Image, entries: readonly Entry[], flavour: Flavour, isZstd: boolean): void {
  const wrong = [...faults(entries), ...(isZstd ? tooLarge(image, flavour) : [])]
  if (wrong.length > 0) throw new Stop(`the image for ${image.architecture}: ${wrong.join('; ')}`)
}

// internal

function tooLarge(image: Image, flavour: Flavour): string[] {
  const { unpacked, compressed } = sizeOf(image)
  return [
    ...over('unpacked', unpacked, LIMITS.unpacked[flavour]),
    ...over('compressed', compressed, LIMITS.compressed[flavour]),
  ]
}

const over = (what: string, bytes: number, limit: number): string[] =>
  bytes <= limit * 1e6 ? [] : [`${what} it is ${(bytes / 1e6).toFixed(1)} MB, over ${limit}`]

export function faults(entries: readonly Entry[]): string[] {
  const names = entries.filter(({ content }) => content.kind !== 'folder').map(({ path }) => path)
  const base = new Set(names.map((path) => path.slice(path.lastIndexOf('/') + 1)))
  const forNodes = names.filter((path) => path.startsWith('opt/cni/bin/'))
  const shells = names.filter((path) => /\/(ba|da|z|k|c)?sh$|\/busybox$/.test(path))
  const scripts = entries.filter(
    ({ mode, content }) => mode & 0o111 && content.kind === 'file' && isScript(content.data),
  )
  const missing = new Set(entries.flatMap(needed).filter((name) => !base.has(name)))
  return [
    ...(forNodes.join() === 'opt/cni/bin/istio-cni' ? [] : [`nodes would get ${forNodes.join(', ') || 'nothing'}`]),
    ...entries
      .filter(({ path }) => path.startsWith('opt/cni/bin/'))
      .flatMap((entry) => needed(entry).map((name) => `nodes would need ${name} for ${entry.path}`)),
    ...shells.map((path) => `${path} is a shell`),
    ...scripts.map(({ path }) => `${path} is a script`),
    ...[...missing].map((name) => `nothing is ${name}`),
  ]
}

const isScript = (data: Uint8Array): boolean => data[0] === 0x23 && data[1] === 0x21

/** Names of the loader and the shared libraries that a 64-bit ELF file needs (DT_NEEDED). */
function needed({ content }: Entry): string[] {
  if (content.kind !== 'file' || Buffer.from(content.data.subarray(0, 4)).toString('latin1') !== '\x7fELF') return []
  const data = Buffer.from(content.data.buffer, content.data.byteOffset, content.data.length)
  const segments = Array.from({ length: data.readUInt16LE(56) }, (_, index) => {
    const at = Number(data.readBigUInt64LE(32)) + index * data.readUInt16LE(54)
    const field = (offset: number) => Number(data.readBigUInt64LE(at + offset))
    return { type: data.readUInt32LE(at), offset: field(8), address: field(16), size: field(32) }
  })
  const [LOAD, DYNAMIC, INTERP] = [1, 2, 3]
  const textAt = (at: number) => data.toString('latin1', at, data.indexOf(0, at))
  const loader = segments.filter(({ type }) => type === INTERP).map(({ offset }) => textAt(offset))
  const dynamic = segments.find(({ type }) => type === DYNAMIC)
  const tags = Array.from({ length: (dynamic?.size ?? 0) / 16 }, (_, index) => {
    const at = (dynamic?.offset ?? 0) + index * 16
    return { tag: Number(data.readBigInt64LE(at)), value: Number(data.readBigUInt64LE(at + 8)) }
  })
  const strings = tags.find(({ tag }) => tag === 5)?.value ?? 0
  const holder = segments.find(
    ({ type, address, size }) => type === LOAD && strings >= address && strings < address + size,
  )
  const start = strings - (holder?.address ?? 0) + (holder?.offset ?? 0)
  const libraries = tags.filter(({ tag }) => tag === 1).map(({ value }) => textAt(start + value))
  return [...loader.map((path) => path.slice(path.lastIndexOf('/') + 1)), ...libraries]
}
