import { type BigIntStats, chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '@cni/types'
import type { Change } from '../../change.ts'
import { compareNames } from '../../conf/conf-name.ts'
import { copyBinary } from '../../files/copy-binary.ts'
import { damageOf } from '../../files/damage.ts'
import { linkBinary } from '../../files/link-binary.ts'
import { permissionsOf, wrongPermissions } from '../../files/permissions.ts'
import { isSameFile, sameBytes } from '../../files/same-bytes.ts'
import type { Health } from '../../health.ts'
import { InstallError, toInstallError } from '../../install-error.ts'
import type { Settings } from '../../options.ts'
import { failed, NOTHING, type StepPlan } from '../step-plan.ts'
import { instant, type VerifiedFiles } from '../verified.ts'

/** Plans to copy missing or different binaries from the source folder: libraries first, the plugin last. */
export async function planBinaries(
  settings: Settings,
  verified: VerifiedFiles,
  signal?: AbortSignal,
): Promise<StepPlan> {
  const { sourceDir, binDirs, type, uncache } = settings
  if (sourceDir === undefined) return NOTHING
  let sources: Source[]
  try {
    sources = listSources(sourceDir, type)
  } catch (error) {
    return failed(toInstallError(error, 'cannot read the source folder', sourceDir))
  }
  const changes: Change[] = []
  const health: Health[] = []
  const errors: InstallError[] = []
  for (const folder of binDirs) {
    const ofFolder: Change[] = []
    let failure: InstallError | undefined
    try {
      if (!statSync(folder).isDirectory()) throw new Error('not a folder')
      for (const source of sources) {
        const path = join(folder, source.name)
        const twins = sources.filter((one) => one !== source && isSameFile(one.stat, source.stat))
        const links = twins.map(({ name }) => join(folder, name))
        const change = await planBinary({ source, path, links, type, verified, uncache, signal })
        if (change === undefined) health.push({ artefact: 'binary', path, state: 'ok' })
        else ofFolder.push(change)
      }
    } catch (error) {
      if (signal?.aborted) throw error
      failure = toInstallError(error, 'cannot use the binary folder', folder)
      errors.push(failure)
    }
    // A damaged new plugin stops all replacements: new libraries may not fit the installed plugin.
    const isStuck = failure?.code === 'BROKEN_SOURCE'
    changes.push(...(isStuck ? ofFolder.filter(({ action }) => action !== 'replace') : ofFolder))
  }
  return { changes, health, errors }
}

/** Sorts binaries for copying: the plugin comes last, because the plugin may need the other files. */
export function binaryOrder(names: readonly string[], type: string): string[] {
  return [...names].sort((a, b) => Number(a === type) - Number(b === type) || compareNames(a, b))
}

/** A file in the source folder, from which the installer copies binaries. */
interface Source {
  readonly name: string
  readonly path: string
  readonly stat: BigIntStats
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
  const message = `the source folder ${JSON.stringify(folder)} has no file ${JSON.stringify(type)}`
  throw new InstallError('NO_SOURCE', message, { path: folder })
}

/** A binary in the source folder, and the path of its installed copy. */
interface Pair {
  readonly source: Source
  readonly path: string
  /** Paths of further hard links to the binary. A binary with several plugins has one link for each plugin. */
  readonly links: readonly string[]
  /** Type of the installed plugin, as in its configuration. */
  readonly type: string
  readonly verified: VerifiedFiles
  readonly uncache: Settings['uncache']
  readonly signal: AbortSignal | undefined
}

async function planBinary(pair: Pair): Promise<Change | undefined> {
  const { source, path, verified } = pair
  const stat = lstat(path)
  if (stat === undefined) {
    assertWhole(pair)
    return copy(pair, 'create', 'absent')
  }
  if (stat.isDirectory()) throw new InstallError('NOT_OURS', `${JSON.stringify(path)} is a folder`, { path })
  if (!stat.isFile()) {
    assertWhole(pair)
    return copy(pair, 'replace', 'not a regular file')
  }
  if (isSameFile(stat, source.stat)) return undefined
  const isKnown = verified.isKnown(path, source.stat, stat, performance.now())
  // Checks the source file for damage only if it has changed since the last check.
  if (!isKnown) assertWhole(pair)
  if (!isKnown && !(await isSame(pair, stat))) return copy(pair, 'replace', 'content differs')
  const wanted = permissionsOf(source.stat)
  const actual = permissionsOf(stat)
  if (actual === wanted) return undefined
  const reason = wrongPermissions(actual, wanted)
  return { artefact: 'binary', action: 'chmod', path, reason, apply: () => chmodSync(path, wanted) }
}

/** Throws for a damaged program file, for example from a truncated image. */
function assertWhole({ source, path, type }: Pair, file = source.path): void {
  const damage = damageOf(file)
  // Accepts empty files other than the plugin, because some of these files are empty on purpose.
  if (damage === undefined || (source.name !== type && damage !== 'truncated')) return
  const message = `${JSON.stringify(source.path)} is ${damage}, so it is not copied to ${JSON.stringify(path)}`
  throw new InstallError('BROKEN_SOURCE', message, { path: source.path })
}

async function isSame({ source, path, verified, uncache, signal }: Pair, stat: BigIntStats): Promise<boolean> {
  const at = instant()
  if (stat.size !== source.stat.size || !(await sameBytes(source.path, path, signal, uncache))) return false
  verified.add(path, source.stat, stat, at)
  return true
}

function copy(pair: Pair, action: 'create' | 'replace', reason: string): Change {
  const { source, path, type, verified, uncache } = pair
  return {
    artefact: 'binary',
    action,
    path,
    reason,
    async apply(signal) {
      if (await linkToTwin(pair)) return
      await copyBinary(source.path, path, { type, signal, uncache, check: (copied) => assertWhole(pair, copied) })
      verified.add(path, source.stat, lstatSync(path, { bigint: true }), instant())
    },
  }
}

/**
 * Creates a hard link to a binary that is already installed under another name. Returns false if this is impossible.
 */
async function linkToTwin(pair: Pair): Promise<boolean> {
  const { source, path, links, type, verified } = pair
  for (const twin of links) {
    const stat = lstat(twin)
    if (!stat?.isFile() || permissionsOf(stat) !== permissionsOf(source.stat)) continue
    const isKnown = verified.isKnown(twin, source.stat, stat, performance.now())
    if (!isKnown && !(await isSame({ ...pair, path: twin }, stat))) continue
    if (!linkBinary(twin, path, type)) continue
    // Records both links as verified, because the new link has changed the file's ctime.
    for (const name of [path, twin]) verified.add(name, source.stat, lstatSync(name, { bigint: true }), instant())
    return true
  }
  return false
}

function lstat(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
