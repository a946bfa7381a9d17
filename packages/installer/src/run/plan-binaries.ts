import { type BigIntStats, chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { compareNames } from '../conf/conf-name.ts'
import { copyBinary, sameBytes } from '../files/copy-binary.ts'
import type { Health } from '../health.ts'
import { errnoOf, InstallError, toInstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import type { Change, StepPlan } from './change.ts'
import type { VerifiedFiles } from './verified.ts'

/** A file of the source folder. */
interface Source {
  readonly name: string
  readonly path: string
  readonly stat: BigIntStats
}

/** Which binaries are missing or differ from those of the source folder: libraries first, the plugin last. */
export async function planBinaries(
  settings: Settings,
  verified: VerifiedFiles,
  signal?: AbortSignal,
): Promise<StepPlan> {
  const { sourceDir, binDirs, type } = settings
  if (sourceDir === undefined) return { changes: [], health: [], errors: [] }
  let sources: Source[]
  try {
    sources = listSources(sourceDir, type)
  } catch (error) {
    return { changes: [], health: [], errors: [toInstallError(error, 'cannot read the source folder', sourceDir)] }
  }
  const changes: Change[] = []
  const health: Health[] = []
  const errors: InstallError[] = []
  for (const folder of binDirs) {
    try {
      if (!statSync(folder).isDirectory()) throw new Error('not a folder')
      for (const source of sources) {
        const path = join(folder, source.name)
        const change = await compare(source, path, settings, verified, signal)
        if (change === undefined) health.push({ artefact: 'binary', path, state: 'ok' })
        else changes.push(change)
      }
    } catch (error) {
      if (signal?.aborted) throw error
      errors.push(toInstallError(error, 'cannot use the binary folder', folder))
    }
  }
  return { changes, health, errors }
}

/** The order of copying: what the plugin may need comes before the plugin. */
export function binaryOrder(names: readonly string[], type: string): string[] {
  return [...names].sort((a, b) => Number(a === type) - Number(b === type) || compareNames(a, b))
}

function listSources(folder: string, type: string): Source[] {
  const sources: Source[] = []
  for (const name of binaryOrder(readdirSync(folder), type)) {
    const path = join(folder, name)
    const stat = statSync(path, { bigint: true })
    if (stat.isDirectory()) continue
    if (!stat.isFile()) throw new InstallError('NOT_READABLE', `${JSON.stringify(path)} is not a file`, { path })
    sources.push({ name, path, stat })
  }
  if (sources.some((one) => one.name === type)) return sources
  throw new InstallError(
    'NO_SOURCE',
    `the source folder ${JSON.stringify(folder)} has no file ${JSON.stringify(type)}`,
    {
      path: folder,
    },
  )
}

async function compare(
  source: Source,
  path: string,
  settings: Settings,
  verified: VerifiedFiles,
  signal?: AbortSignal,
): Promise<Change | undefined> {
  const stat = lstat(path)
  const copy = (action: 'create' | 'replace', reason: string): Change => ({
    artefact: 'binary',
    action,
    path,
    reason,
    async apply(applySignal) {
      await copyBinary(source.path, path, settings.type, applySignal)
      verified.add(path, source.stat, lstatSync(path, { bigint: true }), performance.now())
    },
  })
  if (stat === undefined) return copy('create', 'absent')
  if (stat.isDirectory()) throw new InstallError('NOT_OURS', `${JSON.stringify(path)} is a folder`, { path })
  if (!stat.isFile()) return copy('replace', 'not a regular file')
  if (stat.ino === source.stat.ino && stat.dev === source.stat.dev) return undefined
  const now = performance.now()
  if (!verified.isKnown(path, source.stat, stat, now)) {
    if (stat.size !== source.stat.size || !(await sameBytes(source.path, path, signal))) {
      return copy('replace', 'content differs')
    }
    verified.add(path, source.stat, stat, now)
  }
  const mode = Number(source.stat.mode & 0o7777n)
  const actual = Number(stat.mode & 0o7777n)
  if (actual === mode) return undefined
  return {
    artefact: 'binary',
    action: 'chmod',
    path,
    reason: `mode is ${octal(actual)}, not ${octal(mode)}`,
    apply: () => chmodSync(path, mode),
  }
}

function lstat(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function octal(mode: number): string {
  return `0${mode.toString(8)}`
}
