/** A file or folder in a cpio archive. An entry without content is a folder. */
export interface Entry {
  readonly name: string
  readonly content?: Uint8Array | string
  readonly executable?: boolean
}

const FOLDER = 0o040755
const FILE = 0o100644
const PROGRAM = 0o100755

/** Creates a cpio archive ("new ASCII" format), which the kernel uses as first file system. */
export function cpio(entries: readonly Entry[]): Buffer {
  const all = [...entries, { name: 'TRAILER!!!', content: '' }]
  return Buffer.concat(all.flatMap((entry, index) => record(entry, index + 1)))
}

function record({ name, content, executable }: Entry, inode: number): Buffer[] {
  const body = Buffer.from(content ?? '')
  const path = Buffer.from(`${name}\0`)
  const mode = content === undefined ? FOLDER : executable ? PROGRAM : FILE
  const [links, time, device] = [1, 0, 0]
  const fields = [inode, mode, 0, 0, links, time, body.length, device, 0, 0, 0, path.length, 0]
  const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`
  return [padded(Buffer.concat([Buffer.from(header), path])), padded(body)]
}

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
