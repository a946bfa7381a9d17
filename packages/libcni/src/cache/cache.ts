import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { convertResult, decodeResult, errnoOf, errorLine, isObject, resultVersion } from '@cni/types'
import type { Attachment, CachedAttachment } from '../attachment.ts'
import { isRuntimeError, RuntimeError } from '../errors.ts'
import { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from './cache-file.ts'

/** Which file of the cache: network, container and interface. */
export interface CacheKey {
  readonly network: string
  readonly containerID: string
  readonly ifName: string
}

/** Where runtimes keep what DEL and CHECK need, unless told otherwise. */
export const DEFAULT_CACHE_DIR = '/var/lib/cni'

/** The file that remembers an attachment; throws `UNSAFE_NAME` for a key that would lead out of the folder. */
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

/** Remembers an attachment and its result; the file is complete or as before, whatever happens. */
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
 * The remembered result of an attachment as a document of `version`, or `undefined` when there is none. A file
 * without a kind is taken for a bare result, as runtimes wrote them before 2019.
 *
 * @throws when the file is empty, corrupt, of another kind or cannot be expressed in `version`.
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

/** What the cache remembers of one attachment; `undefined` when there is nothing, or nothing readable. */
export function readCachedAttachment(cacheDir: string, key: CacheKey): CachedAttachment | undefined {
  return readRecord(cacheFile(cacheDir, key))
}

/** A file of the cache: what it says, or why it cannot be told. */
export interface CacheFile {
  readonly file: string
  readonly record?: CacheRecord
  /** Why there is no record: torn, of another kind, without a name. */
  readonly problem?: string
}

/** Every file of the cache in the order of names, torn ones included. */
export function listCacheFiles(cacheDir: string): CacheFile[] {
  const folder = join(cacheDir, 'results')
  return names(folder).map((name) => describeFile(join(folder, name)))
}

/** Every attachment the cache remembers, or those of one container, in the order of file names. */
export function listCachedAttachments(cacheDir: string, containerID?: string): CacheRecord[] {
  const records = listCacheFiles(cacheDir).flatMap(({ record }) => record ?? [])
  return records.filter((one) => containerID === undefined || one.containerID === containerID)
}

/** Forgets an attachment; that it was not there is no error. */
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
  // A result has no such member: this is a record of a later format, and no plugin may get it as its prevResult.
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
    // A torn file of a crashed runtime says nothing about any attachment.
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
      return { file, problem: 'names no network, no container or no interface' }
    }
    return { file, record }
  } catch (error) {
    // A torn file of a crashed runtime says nothing about any attachment.
    if (isRuntimeError(error)) return { file, problem: error.message }
    throw error
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Missing or unreadable is the same to a runtime: it does not know the result.
    return undefined
  }
}

function names(folder: string): string[] {
  try {
    const entries = readdirSync(folder)
    // A leading dot is a temporary file: no network's name begins with one.
    return entries.filter((name) => !name.startsWith('.')).sort()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    throw new RuntimeError('CACHE', `cannot list the cached attachments in ${folder}: ${errorLine(cause)}`, { cause })
  }
}
