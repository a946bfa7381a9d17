import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { convertResult, decodeResult, errnoOf, errorLine, isObject, resultVersion } from '@cni/types'
import type { Attachment, CachedAttachment } from '../attachment.ts'
import { isRuntimeError, RuntimeError } from '../errors.ts'
import { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from './cache-file.ts'

/** Network, container and interface, which together identify a cache file. */
export interface CacheKey {
  readonly network: string
  readonly containerID: string
  readonly ifName: string
}

/** Default folder in which runtimes cache data for DEL and CHECK. */
export const DEFAULT_CACHE_DIR = '/var/lib/cni'

/** Path of an attachment's cache file. A name such as `../x` must not leave the folder. */
export function cacheFile(cacheDir: string, { network, containerID, ifName }: CacheKey): string {
  const name = `${network}-${containerID}-${ifName}`
  if (network === '' || containerID === '' || ifName === '') {
    throw new RuntimeError(
      'UNSAFE_NAME',
      `cache file path requires network name (${JSON.stringify(network)}), container ID ` +
        `(${JSON.stringify(containerID)}) and interface name (${JSON.stringify(ifName)})`,
    )
  }
  if (/[/\0]/.test(name)) throw new RuntimeError('UNSAFE_NAME', `not a cache file name: ${JSON.stringify(name)}`)
  return join(cacheDir, 'results', name)
}

/** Writes an attachment and its result to the cache. Replaces an existing cache file atomically. */
export function writeCache(
  cacheDir: string,
  list: { readonly name: string; readonly text: string },
  rt: Attachment,
  result: object,
): void {
  const file = cacheFile(cacheDir, { ...rt, network: list.name })
  mkdirSync(join(cacheDir, 'results'), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, encodeCacheRecord(list, rt, result), { mode: 0o600 })
}

/**
 * Returns the cached result of an attachment. Accepts files without `kind`, which runtimes wrote before 2019.
 *
 * @throws an error if the cache file is empty, invalid or of an unknown `kind`. Also throws an error if the cached
 *   result cannot be converted.
 */
export function readCachedResult(cacheDir: string, key: CacheKey, version: string): unknown {
  const file = cacheFile(cacheDir, key)
  const text = readIfThere(file)
  const document = text === undefined ? undefined : resultOf(file, text)
  if (document === undefined) return undefined
  const own = resultVersion(document)
  try {
    decodeResult(document)
    return convertResult(document, own, version)
  } catch (cause) {
    const why = `failed to convert cached result to config version "${version}": ${errorLine(cause)}`
    throw new RuntimeError('CACHE', `${file}: ${why}`, { cause })
  }
}

/** Cached data of one attachment. `undefined` if the cache file is missing or unreadable. */
export function readCachedAttachment(cacheDir: string, key: CacheKey): CachedAttachment | undefined {
  return readRecord(cacheFile(cacheDir, key))
}

/** A file in the cache folder: its decoded content, or the reason why the content is unreadable. */
export interface CacheFile {
  readonly file: string
  readonly record?: CacheRecord
  /** Reason why `record` is missing: the file is truncated, incomplete, or has an unknown `kind`. */
  readonly problem?: string
}

/** All files in the cache folder, sorted by name. Unreadable files are included. */
export function listCacheFiles(cacheDir: string): CacheFile[] {
  const folder = join(cacheDir, 'results')
  return names(folder).map((name) => describeFile(join(folder, name)))
}

/** Cached attachments of all containers, or of one container, sorted by file name. */
export function listCachedAttachments(cacheDir: string, containerID?: string): CacheRecord[] {
  const records = listCacheFiles(cacheDir).flatMap(({ record }) => record ?? [])
  return records.filter((one) => containerID === undefined || one.containerID === containerID)
}

/** Removes the cache file of an attachment. A missing file is not an error. */
export function removeCache(cacheDir: string, key: CacheKey): void {
  rmSync(cacheFile(cacheDir, key), { force: true })
}

function resultOf(file: string, text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const record = decodeCacheRecord(text)
    if (record !== undefined) return record.result
  } catch (cause) {
    throw new RuntimeError('CACHE', `${file}: ${errorLine(cause)}`, { cause })
  }
  const bare: unknown = JSON.parse(text)
  if (!isObject(bare)) throw new RuntimeError('CACHE', `${file}: not a cache file: expected a JSON object`)
  // A document of a newer cache format must not become a `prevResult`.
  if (bare.kind !== undefined) {
    throw new RuntimeError('CACHE', `${file}: not a cache file of this kind: ${JSON.stringify(bare.kind)}`)
  }
  return bare
}

function readRecord(file: string): CacheRecord | undefined {
  const text = readIfThere(file)
  if (text === undefined) return undefined
  try {
    return decodeCacheRecord(text)
  } catch (error) {
    // Ignores a cache file that a crashed runtime left truncated.
    if (isRuntimeError(error)) return undefined
    throw error
  }
}

function describeFile(file: string): CacheFile {
  const text = readIfThere(file)
  if (text === undefined) return { file, problem: 'cannot be read' }
  try {
    const record = decodeCacheRecord(text)
    if (record === undefined) return { file, problem: 'not a cache file of this kind: a bare result, from before 2019' }
    if (record.ifName === '' || record.network === '' || record.containerID === '') {
      return { file, problem: 'the network, the container id or the interface is missing' }
    }
    return { file, record }
  } catch (error) {
    // Reports a cache file that a crashed runtime left truncated, with the reason in `problem`.
    if (isRuntimeError(error)) return { file, problem: error.message }
    throw error
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Treats an unreadable cache file like a missing one: the attachment has no cached data.
    return undefined
  }
}

function names(folder: string): string[] {
  try {
    const entries = readdirSync(folder)
    // Names of temporary files begin with a dot, which no network's name does.
    return entries.filter((name) => !name.startsWith('.')).sort()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    throw new RuntimeError('CACHE', `cannot list the cached attachments in ${folder}: ${errorLine(cause)}`, { cause })
  }
}
