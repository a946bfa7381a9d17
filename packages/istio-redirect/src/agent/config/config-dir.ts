import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readRegularFile } from '@cni/host'
import { messageOf, quote } from '@cni/types'
import { ConfigError } from './config-error.ts'
import type { Layer } from './resolve.ts'
import type { Variable } from './variable.ts'
import { variables } from './variables.ts'

const MAX_BYTES = 1024 * 1024

const known = new Set(Object.values(variables).flatMap((variable: Variable<unknown>) => variable.env))

/**
 * Reads settings from a folder with a file for each variable, like a mounted ConfigMap.
 *
 * @throws {@link ConfigError} if the folder or one of its files cannot be read.
 */
export function readConfigDir(folder: string): Layer {
  const layer: Record<string, string> = {}
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (cause) {
    throw new ConfigError(`--config-dir ${quote(folder)}: ${messageOf(cause)}`, { cause })
  }
  for (const name of names) {
    if (!known.has(name)) continue
    const path = join(folder, name)
    try {
      if (statSync(path).isDirectory()) continue
      layer[name] = readRegularFile(path, MAX_BYTES).replace(/\r?\n$/, '')
    } catch (cause) {
      throw new ConfigError(`--config-dir: ${quote(path)}: ${messageOf(cause)}`, { cause })
    }
  }
  return layer
}
