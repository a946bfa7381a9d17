import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { UsageError } from '@cni/host/cli'
import { isObject, messageOf } from '@cni/types'
import type { Attachment } from '../attachment.ts'
import { DEFAULT_CACHE_DIR } from '../cache/cache.ts'
import type { CommandLine } from './command-line.ts'
import { DEFAULT_CNI_PATH, DEFAULT_CONF_DIR } from './flags.ts'
import type { CnitoolIo } from './io.ts'

/** Folders and time limit of a cnitool command. */
export interface Settings {
  readonly path: readonly string[]
  readonly cacheDir: string
  readonly confDir: string
  readonly confFile: string | undefined
  readonly timeout: number | undefined
}

/** Reads the folders and the time limit of a cnitool command from flags and environment. */
export function settingsOf({ flags }: CommandLine, { env, cwd }: CnitoolIo): Settings {
  return {
    path: (flags.cniPath || env.CNI_PATH || DEFAULT_CNI_PATH).split(':').filter((folder) => folder !== ''),
    cacheDir: resolve(cwd, flags.cacheDir || DEFAULT_CACHE_DIR),
    confDir: resolve(cwd, flags.confDir || env.NETCONFPATH || DEFAULT_CONF_DIR),
    confFile: flags.conf === undefined ? undefined : resolve(cwd, flags.conf),
    timeout: flags.timeout,
  }
}

/** Attachment of the container that owns a network namespace. The container id is derived from the namespace's path. */
export function attachmentOf({ flags }: CommandLine, netns: string, { env, cwd }: CnitoolIo): Attachment {
  const path = resolve(cwd, netns)
  return {
    containerID: containerIDOf(path),
    netns: path,
    ifName: flags.ifname || env.CNI_IFNAME || 'eth0',
    args: parseArgsVariable(env.CNI_ARGS ?? ''),
    capabilityArgs: parseCapabilityArgs(env.CAP_ARGS ?? ''),
  }
}

/** Container id: `cnitool-` and the first ten bytes of the SHA-512 of the namespace's absolute path. */
export function containerIDOf(netns: string): string {
  return `cnitool-${createHash('sha512').update(netns).digest('hex').slice(0, 20)}`
}

/** Parses `CNI_ARGS` as strictly as the Go cnitool does. */
function parseArgsVariable(text: string): Array<readonly [string, string]> {
  if (text === '') return []
  return text.split(';').map((pair) => {
    const [key, value, ...more] = pair.split('=')
    if (key && value && more.length === 0) return [key, value] as const
    throw new UsageError(`invalid CNI_ARGS pair ${JSON.stringify(pair)}, expected KEY=value;KEY=value`)
  })
}

function parseCapabilityArgs(text: string): Record<string, unknown> {
  if (text === '') return {}
  const value = parseJson(text)
  if (isObject(value)) return value
  throw new UsageError(`invalid CAP_ARGS ${JSON.stringify(text)}, expected a JSON object`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = messageOf(cause)
    throw new UsageError(`invalid CAP_ARGS ${JSON.stringify(text)}, expected a JSON object: ${why}`, { cause })
  }
}
