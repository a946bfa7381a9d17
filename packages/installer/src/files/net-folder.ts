import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type NetFolder, pluginFolder, type ReadFile } from '../conf/candidate.ts'
import { isConfName } from '../conf/conf-name.ts'
import { isNotFound, messageOf, toInstallError } from '../install-error.ts'
import { listNames } from './list-names.ts'
import { readRegular, type Snapshot } from './read-regular.ts'

/** A net folder as it was read. */
export interface NetFiles {
  /** As a value, for the rules of which file counts. */
  readonly folder: NetFolder
  /** The readable files by name, for replacing them. */
  readonly snapshots: ReadonlyMap<string, Snapshot>
}

/** Reads the configuration files of a net folder; `undefined` when the folder does not exist. */
export function readNetFolder(netDir: string): NetFiles | undefined {
  let names: string[]
  try {
    names = readdirSync(netDir)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw toInstallError(error, 'cannot read the net folder', netDir)
  }
  const folder = new Map<string, ReadFile>()
  const snapshots = new Map<string, Snapshot>()
  const add = (name: string): void => {
    try {
      const file = readRegular(join(netDir, name))
      folder.set(name, file?.bytes ?? { unreadable: 'a dangling link, or gone' })
      if (file !== undefined) snapshots.set(name, file)
    } catch (error) {
      folder.set(name, { unreadable: messageOf(error) })
    }
  }
  for (const name of names.filter(isConfName)) add(name)
  for (const [name, file] of [...snapshots]) {
    const sub = pluginFolder(name, file.bytes)
    if (sub === undefined || !names.includes(sub)) continue
    for (const one of listNames(join(netDir, sub))) if (one.endsWith('.conf')) add(`${sub}/${one}`)
  }
  return { folder, snapshots }
}
