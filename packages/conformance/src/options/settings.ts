import { accessSync, constants, existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { CNI_VERSIONS, isCniVersion, type JsonObject } from '@cni/types'
import { ConformanceError } from '../errors.ts'
import type { Settings } from '../session.ts'
import { STATE_FOLDERS, shareBelowState } from '../world/state.ts'
import type { WorldOptions } from '../world/world.ts'
import { confOf } from './conf.ts'
import type { ConformanceOptions } from './options.ts'

/** Validates the options of a run and adds defaults. Throws a `ConformanceError` for an invalid option. */
export function settingsOf(options: ConformanceOptions): Settings & WorldOptions {
  const { chained = false, timeout = 10_000, share = [], args, signal } = options
  const plugin = resolve(options.plugin)
  assertExecutable(plugin)
  const type = basename(plugin)
  const conf: JsonObject = { name: 'conformance', type, ...confOf(options.conf, type) }
  const path = options.cniPath ?? [dirname(plugin), '/opt/cni/bin', '/usr/lib/cni'].join(':')
  return {
    plugin,
    conf,
    version: options.cniVersion === undefined ? versionOf(conf.cniVersion) : asked(options.cniVersion),
    chained,
    path,
    args,
    timeout,
    signal,
    shares: share.map(shared),
    needed: [dirname(plugin), ...path.split(':').filter((folder) => folder !== '')],
  }
}

function assertExecutable(plugin: string): void {
  if (!existsSync(plugin)) throw new ConformanceError('NO_PLUGIN', `There is no plugin at ${JSON.stringify(plugin)}`)
  try {
    accessSync(plugin, constants.X_OK)
  } catch (cause) {
    throw new ConformanceError('NO_PLUGIN', `Not executable: ${JSON.stringify(plugin)}`, { cause })
  }
}

function asked(version: string): string {
  if (isCniVersion(version)) return version
  throw new ConformanceError('UNKNOWN_VERSION', unknown(version))
}

/** `cniVersion` of a plugin's configuration. `undefined` if the member is missing or empty. */
function versionOf(version: unknown): string | undefined {
  if (version === undefined || version === null || version === '') return undefined
  if (isCniVersion(version)) return version
  throw new ConformanceError('INVALID_CONFIG', `The configuration's cniVersion: ${unknown(version)}`)
}

function unknown(version: unknown): string {
  return `${JSON.stringify(version)} is no version of the specification; use one of ${CNI_VERSIONS.join(', ')}`
}

function shared(path: string): string {
  const share = resolve(path)
  if (!existsSync(share)) throw new ConformanceError('INVALID_SHARE', `There is no ${JSON.stringify(share)} to share`)
  const real = shareBelowState(share)
  if (real !== undefined) return real
  const where = STATE_FOLDERS.join(' and ')
  const message = `${JSON.stringify(share)} is not below ${where}: the plugin sees it as it is anyway`
  throw new ConformanceError('INVALID_SHARE', message)
}
