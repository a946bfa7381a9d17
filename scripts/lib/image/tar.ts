/** Entry of a tar archive. Its path neither begins nor ends with a slash. */
export interface Entry {
  readonly path: string
  readonly mode: number
  readonly content:
    | { readonly kind: 'file'; readonly data: Uint8Array }
    | { readonly kind: 'folder' }
    | { readonly kind: 'symlink' | 'hardlink'; readonly to: string }
}

export const file = (path: string, data: Uint8Array | string, mode = 0o644): Entry => ({
  path,
  mode,
  content: { kind: 'file', data: typeof data === 'string' ? Buffer.from(data) : data },
})

export const folder = (path: string, mode = 0o755): Entry => ({ path, mode, content: { kind: 'folder' } })

export const symlink = (path: string, to: string): Entry => ({ path, mode: 0o777, content: { kind: 'symlink', to } })

const TYPES = { file: '0', hardlink: '1', symlink: '2', folder: '5' } as const
const BLOCK = 512

/**
 * Writes a tar archive (ustar). Equal entries give equal bytes.
 *
 * @param time - modification time of all entries, in seconds since 1970
 */
export function tar(entries: readonly Entry[], time: number): Buffer {
  const all = new Map(entries.flatMap(({ path }) => parents(path)).map((path) => [path, folder(path)]))
  for (const entry of entries) {
    const other = all.get(entry.path)
    if (other !== undefined && other.content.kind !== 'folder') throw new Error(`${entry.path} is there twice`)
    all.set(entry.path, entry)
  }
  const sorted = [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  const blocks = sorted.flatMap((entry) => {
    const data = entry.content.kind === 'file' ? entry.content.data : Buffer.alloc(0)
    return [header(entry, data.length, time), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

// internal

function parents(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

function header({ path, mode, content }: Entry, size: number, time: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const text = (value: string, at: number, length: number) => {
    if (Buffer.byteLength(value) > length) throw new Error(`${path}: ${value} is longer than ${length} bytes`)
    block.write(value, at)
  }
  const number = (value: number, at: number, length: number) =>
    text(value.toString(8).padStart(length - 1, '0'), at, length - 1)
  const [prefix, name] = splitName(content.kind === 'folder' ? `${path}/` : path)
  text(name, 0, 100)
  number(mode, 100, 8)
  number(0, 108, 8)
  number(0, 116, 8)
  number(size, 124, 12)
  number(time, 136, 12)
  text(' '.repeat(8), 148, 8)
  text(TYPES[content.kind], 156, 1)
  if ('to' in content) text(content.to, 157, 100)
  text('ustar\x0000', 257, 8)
  text(prefix, 345, 155)
  number(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  block[154] = 0
  return block
}

/** Splits a long path into the two name fields of a ustar header. */
function splitName(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  const cut = path.indexOf('/', path.length - 101)
  return [path.slice(0, cut), path.slice(cut + 1)]
}
