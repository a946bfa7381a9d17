/** One member of an archive: a file with its bytes, or a symbolic link with its target. */
export interface TarMember {
  readonly path: string
  readonly content: Uint8Array | string | { readonly linkTo: string }
  readonly mode?: number
}

const BLOCK = 512

/** A POSIX archive (ustar) of a few members with short names, all owned by root and dated 1970. */
export const tar = (members: readonly TarMember[]): Buffer =>
  Buffer.concat([...members.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)])

function blocksOf({ path, content, mode = 0o644 }: TarMember): Buffer[] {
  const linkTo = typeof content === 'object' && 'linkTo' in content ? content.linkTo : undefined
  const bytes = typeof content === 'object' && 'linkTo' in content ? Buffer.alloc(0) : Buffer.from(content)
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  }
  header.write(path, 0)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes.length, 124, 12)
  octal(0, 136, 12)
  header.write(linkTo === undefined ? '0' : '2', 156)
  header.write(linkTo ?? '', 157)
  header.write('ustar\u000000', 257)
  // The checksum is made with blanks in its own place.
  header.fill(' ', 148, 156)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]
}
