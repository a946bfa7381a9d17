import { constants, lstatSync } from 'node:fs'
import { errnoOf, messageOf } from '@cni/types'
import * as z from 'zod/mini'
import { markerPath } from './marked.ts'
import { readBounded } from './read-bounded.ts'

/** Folders of the node in which something may still need an uninstalled plugin. All paths are absolute. */
export interface NeedFolders {
  /** Folders with the records of attachments, such as `/run/cni/tag/attachments`. */
  readonly records: readonly string[]
  /** Folders with the results that runtimes cache, such as `/var/lib/cni/results`. */
  readonly results: readonly string[]
  /** Folders with network configurations, such as `/etc/cni/net.d`. */
  readonly configurations: readonly string[]
}

/** The content of a marker. */
export interface Marker extends NeedFolders {
  /** The version of the format. */
  readonly v: 1
  /** The plugin's file that the marker was written for: {@link fileIdentity}. */
  readonly file: string
}

/** Bytes of the largest marker. */
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

/** The text of a marker for the plugin's file as it is now. */
export function markerText(file: string, { records, results, configurations }: NeedFolders): string {
  const marker: Marker = { v: 1, file: fileIdentity(file), records, results, configurations }
  return `${JSON.stringify(schema.parse(marker))}\n`
}

/**
 * The marker of a plugin's file; `undefined` when there is none.
 *
 * @throws Error for a marker that another user could have written, that is invalid, or that belongs to a file that was
 *   there before: the plugin is installed then.
 */
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

/** Inode, size and time of a file: a file that is installed over it has others, also after a reboot. */
export function fileIdentity(file: string): string {
  const { ino, size, mtimeNs } = lstatSync(file, { bigint: true })
  return `${ino}-${size}-${mtimeNs}`
}

function documentOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the schema refuses it
    return undefined
  }
}
