import { constants, lstatSync } from 'node:fs'
import { errnoOf, messageOf } from '@cni/types'
import * as z from 'zod/mini'
import { markerPath } from './marked.ts'
import { readBounded } from './read-bounded.ts'

/** Folders of the node to search for files that still need an uninstalled plugin. All paths are absolute. */
export interface NeedFolders {
  /** Folders with the records of the plugin's attachments, such as `/run/cni/tag/attachments`. */
  readonly records: readonly string[]
  /** Folders with the ADD results that container runtimes cache, such as `/var/lib/cni/results`. */
  readonly results: readonly string[]
  /** Folders with network configurations, such as `/etc/cni/net.d`. */
  readonly configurations: readonly string[]
}

/** Content of the marker file of an uninstalled plugin. */
export interface Marker extends NeedFolders {
  /** Version of the format of the marker file, which marks a plugin as uninstalled. */
  readonly v: 1
  /** Inode, size and time of the executable for which the marker was written, as {@link fileIdentity} returns them. */
  readonly file: string
}

/** Maximum size in bytes of the marker file, which marks a plugin as uninstalled. */
const MAX_BYTES = 64 * 1024
const MAX_FOLDERS = 32

const folders = z
  .array(z.string().check(z.regex(/^\/[^\0]*$/, 'expected an absolute path'), z.maxLength(4096)))
  .check(z.maxLength(MAX_FOLDERS))
const schema = z.object({
  v: z.literal(1),
  file: z.string(),
  records: folders,
  results: folders,
  configurations: folders,
})

/** Text of the marker file, which marks the plugin's present executable as uninstalled. */
export function markerText(file: string, { records, results, configurations }: NeedFolders): string {
  const marker: Marker = { v: 1, file: fileIdentity(file), records, results, configurations }
  return `${JSON.stringify(schema.parse(marker))}\n`
}

/** Reads the marker file. Throws for an untrusted marker, which the caller ignores. */
export function readMarker(file: string): Marker | undefined {
  const path = markerPath(file)
  let text: string
  try {
    text = readBounded(path, { maxBytes: MAX_BYTES, flags: constants.O_NOFOLLOW, ownOnly: true })
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw new Error(`marker ${path}: ${messageOf(error)}`, { cause: error })
  }
  const parsed = schema.safeParse(documentOf(text))
  if (!parsed.success) {
    const { path: member = [], message = '' } = parsed.error.issues[0] ?? {}
    throw new Error(`marker ${path}: it is invalid: ${member.join('.')}: ${message}`)
  }
  if (parsed.data.file === fileIdentity(file)) return parsed.data
  throw new Error(`marker ${path}: it was written for another file than the ${file} of today`)
}

/** Identity of an executable: inode number, size and mtime. Only a replaced file has another identity. */
export function fileIdentity(file: string): string {
  const { ino, size, mtimeNs } = lstatSync(file, { bigint: true })
  return `${ino}-${size}-${mtimeNs}`
}

function documentOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The marker file is not JSON. The marker's schema rejects `undefined`.
    return undefined
  }
}
