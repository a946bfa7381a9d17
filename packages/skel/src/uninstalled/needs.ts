import { constants, opendirSync, statSync } from 'node:fs'
import { isReadError } from '@cni/host'
import { errnoOf, isObject, messageOf } from '@cni/types'
import { isStateFile } from '../state/attachment-key.ts'
import type { NeedFolders } from './marker.ts'
import { readBounded } from './read-bounded.ts'
import { typeIn } from './type-in.ts'

/** Reason to keep the executable of an uninstalled plugin: a file or folder that still needs the plugin. */
export interface Need {
  /**
   * Kind of the reason to keep the executable:
   * - `record`: an attachment of the plugin is recorded.
   * - `result`: a cached ADD result has a list with the plugin, which DEL will use.
   * - `configuration`: a network configuration contains the plugin.
   * - `unknown`: a file or folder cannot be read.
   */
  readonly kind: 'record' | 'result' | 'configuration' | 'unknown'
  /** Path of the file or folder that needs the plugin. */
  readonly path: string
  /** Explanation for users: why the file or folder still needs the uninstalled plugin. */
  readonly reason: string
}

/** Maximum number of files that a search reads in one folder. */
const MAX_FILES = 10_000
/** Maximum size in bytes of a file that a search reads. */
const MAX_BYTES = 4 * 1024 * 1024
/** Maximum total size in bytes of the files that a search reads. */
const MAX_TOTAL = 256 * 1024 * 1024
/** Maximum number of characters that a message quotes from a searched file. */
const MAX_SHOWN = 64

/**
 * Finds files and folders that still need an uninstalled plugin. Call this in an installer: plugins with `pluginMain`
 * search by themselves.
 *
 * @param own - the attachment of a DEL. Ignores the cached result of this attachment, because the container runtime
 *   removes it after the DEL.
 * @example
 * ```ts
 * const folders = { records: ['/run/cni/tag/attachments'], results: ['/var/lib/cni/results'], configurations: ['/etc/cni/net.d'] }
 * for (const { path, reason } of findNeeds('tag', folders)) console.error(`${path}: ${reason}`)
 * writeFileSync(markerPath('/opt/cni/bin/tag'), markerText('/opt/cni/bin/tag', folders))
 * ```
 */
export function* findNeeds(
  type: string,
  folders: NeedFolders,
  own?: Readonly<Record<'containerID' | 'ifName', string>>,
): Generator<Need> {
  const read = reader()
  for (const folder of new Set(folders.records)) yield* recordsIn(folder)
  for (const folder of new Set(folders.results)) yield* resultsIn(folder, { type, own, read })
  for (const folder of new Set(folders.configurations)) yield* configurationsIn(folder, { type, read })
}

// internal

type OwnAttachment = Parameters<typeof findNeeds>[2]

type Reader = (path: string, flags: number, ownOnly: boolean) => string

interface Search {
  readonly type: string
  readonly own?: OwnAttachment
  readonly read: Reader
}

function reader(): Reader {
  let total = 0
  return (path, flags, ownOnly) => {
    const text = readBounded(path, { maxBytes: Math.min(MAX_BYTES, MAX_TOTAL - total), flags, ownOnly })
    total += text.length
    return text
  }
}

function* recordsIn(folder: string): Generator<Need> {
  const names = yield* namesIn(folder)
  for (const name of names) {
    if (isStateFile(name)) yield { kind: 'record', path: `${folder}/${name}`, reason: 'an attachment is recorded' }
  }
}

function* resultsIn(folder: string, { type, own, read }: Search): Generator<Need> {
  const names = yield* namesIn(folder)
  for (const name of names) {
    // Skips temporary files, whose names begin with a dot. The name of a network never begins with a dot.
    if (name.startsWith('.')) continue
    const path = `${folder}/${name}`
    try {
      const result = parseResult(read(path, constants.O_NOFOLLOW, true))
      if (result === undefined || typeIn(result.config, type) === undefined) continue
      const { containerID, ifName, network } = result
      if (own !== undefined && own.containerID === containerID && own.ifName === ifName) continue
      const attachment = `${describeValue(ifName)} of container ${describeValue(containerID)} in network ${describeValue(network)}`
      yield { kind: 'result', path, reason: `a runtime will delete ${attachment} with a list that names ${type}` }
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') continue
      yield unseen(path, problemOf(error))
    }
  }
}

interface CachedResult extends NonNullable<OwnAttachment> {
  readonly network: string
  readonly config: string
}

/** Parses an ADD result in libcni's cache. Returns `undefined` for an old result (of 2018) without a configuration. */
function parseResult(text: string): CachedResult | undefined {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
  if (!isObject(document)) throw new Error('it is not a JSON object')
  const { kind, containerId, ifName, networkName, config } = document
  if (kind === undefined) return undefined
  if (kind !== 'cniCacheV1') throw new Error(`it is of the kind ${describeValue(kind)}`)
  return {
    containerID: textOf(containerId),
    ifName: textOf(ifName),
    network: textOf(networkName),
    config: Buffer.from(textOf(config), 'base64').toString('utf8'),
  }
}

const LISTS = /\.(?:conf|conflist|json)$/

function* configurationsIn(folder: string, search: Search): Generator<Need> {
  if (!isFolder(folder)) yield unseen(folder, 'it is not a folder of this node')
  const names = yield* namesIn(folder)
  for (const name of names) {
    const path = `${folder}/${name}`
    if (LISTS.test(name)) yield* configurationAt(path, search)
    else if (isFolder(path)) {
      // Searches sub-folders of the CNI network folder too: they may contain further plugins of a list.
      const lists = yield* namesIn(path)
      for (const one of lists) if (LISTS.test(one)) yield* configurationAt(`${path}/${one}`, search)
    }
  }
}

function* configurationAt(path: string, { type, read }: Search): Generator<Need> {
  let text: string | undefined
  try {
    text = read(path, 0, false)
    const at = typeIn(text, type)
    if (at === undefined) return
    const where = at === '' ? '' : ` in ${at.length > 4 * MAX_SHOWN ? `${at.slice(0, 4 * MAX_SHOWN)}…` : at}`
    yield { kind: 'configuration', path, reason: `it names ${type}${where}` }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return
    // Ignores a configuration file that is not JSON, if the text cannot contain the plugin's name.
    if (text === undefined || text.includes(type) || text.includes('\\')) yield unseen(path, problemOf(error))
  }
}

/** Names in a folder. Yields a read error as a reason to keep the plugin. */
function* namesIn(folder: string): Generator<Need, readonly string[]> {
  const names: string[] = []
  try {
    const listing = opendirSync(folder)
    try {
      for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
        if (names.length === MAX_FILES) {
          yield unseen(folder, `it holds more than ${MAX_FILES} files`)
          break
        }
        names.push(entry.name)
      }
    } finally {
      listing.closeSync()
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') yield unseen(folder, problemOf(error))
  }
  return names.sort()
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // The file or folder is missing or inaccessible.
    return false
  }
}

/** Formats an error without the file's path. The reason to keep the plugin contains this path already. */
function problemOf(error: unknown): string {
  const errno = errnoOf(error)
  if (errno === 'ELOOP') return 'it is a symbolic link, which is not followed'
  return errno === undefined || isReadError(error) ? messageOf(error) : `it cannot be read (${errno})`
}

/** Reason to keep the plugin: a file or folder cannot be read, and may name the plugin. */
const unseen = (path: string, why: string): Need => ({ kind: 'unknown', path, reason: `cannot be searched: ${why}` })

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
