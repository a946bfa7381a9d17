import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { convertResult, decodeResult, errnoOf, errorLine, isObject, resultVersion } from '@cni/types'
import type { Attachment, CachedAttachment } from '../attachment.ts'
import { isRuntimeError, RuntimeError } from '../errors.ts'
import { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from './cache-file.ts'

/** Identity of a cache file: network, container and interface. */
export interface CacheKey {
  readonly network: string
  readonly containerID: string
  readonly ifName: string
}

/** Default folder in which runtimes cache data for DEL and CHECK. */
export const DEFAULT_CACHE_DIR = '/var/lib/cni'

/** Path of an attachment's cache file. Throws `UNSAFE_NAME` for a key that leads out of the folder. */
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

/** Caches an attachment and its result. Replaces the file atomically. */
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
 * Cached result of an attachment, converted to `version`; `undefined` if there is no file.
 * A file without a kind is a bare result, as runtimes wrote before 2019.
 *
 * @throws an error if the file is empty, invalid or of another kind, or if its result cannot be converted.
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

/** Cached data of one attachment; `undefined` if it is missing or unreadable. */
export function readCachedAttachment(cacheDir: string, key: CacheKey): CachedAttachment | undefined {
  return readRecord(cacheFile(cacheDir, key))
}

/** A file of the cache: its content, or the reason why it is unreadable. */
export interface CacheFile {
  readonly file: string
  readonly record?: CacheRecord
  /** Reason for a missing record: truncated, of another kind, or incomplete. */
  readonly problem?: string
}

/** All files of the cache, sorted by name, unreadable ones included. */
export function listCacheFiles(cacheDir: string): CacheFile[] {
  const folder = join(cacheDir, 'results')
  return names(folder).map((name) => describeFile(join(folder, name)))
}

/** Cached attachments, all or one container's, sorted by file name. */
export function listCachedAttachments(cacheDir: string, containerID?: string): CacheRecord[] {
  const records = listCacheFiles(cacheDir).flatMap(({ record }) => record ?? [])
  return records.filter((one) => containerID === undefined || one.containerID === containerID)
}

/** Removes an attachment from the cache. A missing file is not an error. */
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
  // A result has no member `kind`. This is a record of a later format, which must not become a `prevResult`.
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
    // Ignores a truncated file of a crashed runtime.
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
    // Reports a truncated file of a crashed runtime as a problem.
    if (isRuntimeError(error)) return { file, problem: error.message }
    throw error
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // For a runtime an unreadable file is the same as a missing one.
    return undefined
  }
}

function names(folder: string): string[] {
  try {
    const entries = readdirSync(folder)
    // Skips temporary files, which begin with a dot. No network's name does.
    return entries.filter((name) => !name.startsWith('.')).sort()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    throw new RuntimeError('CACHE', `cannot list the cached attachments in ${folder}: ${errorLine(cause)}`, { cause })
  }
}
