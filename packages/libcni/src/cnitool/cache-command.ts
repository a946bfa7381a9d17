import { resolve } from 'node:path'
import { UsageError } from '@cni/host/cli'
import { decodeResult, goStringify, isObject } from '@cni/types'
import { type CacheFile, listCacheFiles } from '../cache/cache.ts'
import type { CacheRecord } from '../cache/cache-file.ts'
import { RuntimeError } from '../errors.ts'
import type { CommandLine } from './command-line.ts'
import { containerIDOf, type Settings } from './settings.ts'

/** Executes `cnitool cache list` or `cnitool cache show`, which print cached attachments. */
export function cacheCommand({ positionals, flags }: CommandLine, { cacheDir }: Settings, cwd: string): string {
  const [what, argument] = positionals
  const json = flags.json ?? false
  switch (what) {
    case 'list':
      return list(listCacheFiles(cacheDir), argument, cacheDir, json)
    case 'show':
      if (argument) return show(listCacheFiles(cacheDir), argument, cacheDir, cwd, json)
      throw new UsageError('cache show needs ID, ID/IFNAME or NETNS, got no argument')
    case undefined:
      throw new UsageError('cache needs list or show, got no argument')
    default:
      throw new UsageError(`cache: unknown ${JSON.stringify(what)}, expected list or show`)
  }
}

type ReadableCacheFile = CacheFile & { readonly record: CacheRecord }

function list(files: readonly CacheFile[], network: string | undefined, cacheDir: string, json: boolean): string {
  const known = files.filter(isReadable).filter(({ record }) => network === undefined || record.network === network)
  const problems = files.filter(({ record }) => record === undefined)
  if (json) {
    const attachments = known.map(({ file, record }) => {
      const { config, result, ...rest } = record
      return { ...rest, addresses: addressesOf(result), file }
    })
    return `${goStringify({ attachments, problems }, { indent: 2 })}\n`
  }
  const rows = known.map(({ record }) => [
    record.network,
    `${record.containerID}/${record.ifName}`,
    record.netns || '-',
    addressesOf(record.result).join(' ') || '-',
  ])
  const body = rows.length === 0 ? `no cached attachments in ${cacheDir}\n` : table([HEAD, ...rows])
  return body + problems.map(({ file, problem }) => `unreadable: ${file}: ${problem}\n`).join('')
}

const HEAD = ['NETWORK', 'ID/IFNAME', 'NETNS', 'ADDRESSES']

function show(files: readonly CacheFile[], wanted: string, cacheDir: string, cwd: string, json: boolean): string {
  const byNetns = wanted.startsWith('/') || wanted.startsWith('.')
  const [containerID, ifName] = byNetns ? [containerIDOf(resolve(cwd, wanted))] : wanted.split('/')
  const found = files
    .filter(isReadable)
    .filter(({ record }) => record.containerID === containerID && (!ifName || record.ifName === ifName))
  if (found.length === 0) {
    throw new RuntimeError('NOT_FOUND', `no cached attachment ${JSON.stringify(wanted)} in ${cacheDir}`, {
      hint: "'cnitool cache list' prints all",
    })
  }
  const documents = found.map(({ file, record }) => ({ file, ...record, config: parsed(record.config) }))
  if (json) return `${goStringify(documents, { indent: 2 })}\n`
  return documents.map((document) => `${goStringify(document, { indent: 2 })}\n`).join('')
}

function isReadable(file: CacheFile): file is ReadableCacheFile {
  return file.record !== undefined
}

function addressesOf(result: unknown): string[] {
  if (!isObject(result)) return []
  try {
    return (decodeResult(result).ips ?? []).map(({ address }) => address)
  } catch {
    // Lists no addresses for an attachment whose cached result is unreadable. `cache show` prints the result unchanged.
    return []
  }
}

/** Parses a cached configuration, because the output should show it as an object. Returns invalid JSON unchanged. */
function parsed(config: string): unknown {
  try {
    return JSON.parse(config)
  } catch {
    return config
  }
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}
