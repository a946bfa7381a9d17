import { unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { countEntries, removeEntry } from '../conf/entry.ts'
import { readNetFolder } from '../files/net-folder.ts'
import { sweepTemporaries } from '../files/temporary.ts'
import { errnoOf, type InstallError, toInstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import { type Change, describeChange, type PlannedChange } from './change.ts'
import { removeConf, replaceConf } from './conf-changes.ts'

/** What `uninstall` did, and what it had to leave. */
export interface UninstallReport {
  readonly changes: readonly PlannedChange[]
  /** When not empty, our entry may still be somewhere: then binaries and kubeconfig were left, so that pods start. */
  readonly errors: readonly InstallError[]
}

/** What of an earlier installation stays because a newer one has it too. */
export interface Kept {
  readonly entries?: boolean
  readonly ownFile?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly binDirs?: readonly string[]
}

/** How often a file that somebody writes at the same time is looked at again. */
const ATTEMPTS = 5

/** Takes the plugin off the node: first out of every network configuration, then its kubeconfig, then its binary. */
export async function uninstall(settings: Settings, kept: Kept = {}): Promise<UninstallReport> {
  const changes: PlannedChange[] = []
  const errors = removeEntries(settings, kept, changes)
  if (errors.length === 0) {
    const { kubeconfig, binDirs, sourceDir, type } = settings
    const files: [PlannedChange['artefact'], string][] = []
    if (kubeconfig !== undefined && kubeconfig.path !== kept.kubeconfig) files.push(['kubeconfig', kubeconfig.path])
    if (sourceDir !== undefined) {
      for (const folder of binDirs) if (!kept.binDirs?.includes(folder)) files.push(['binary', join(folder, type)])
    }
    for (const [artefact, path] of files) {
      try {
        unlinkSync(path)
        changes.push({ artefact, action: 'remove', path, reason: 'uninstall' })
      } catch (error) {
        if (!isGone(error)) errors.push(toInstallError(error, 'cannot remove', path))
      }
    }
  }
  for (const folder of foldersOf(settings)) sweepTemporaries(folder, settings.type)
  return { changes, errors }
}

/** Every folder that files of ours are written to. */
export function foldersOf({ netDir, binDirs, kubeconfig }: Settings): string[] {
  return [...new Set([netDir, ...binDirs, ...(kubeconfig === undefined ? [] : [dirname(kubeconfig.path)])])]
}

function removeEntries(settings: Settings, kept: Kept, done: PlannedChange[]): InstallError[] {
  for (let attempt = 1; ; attempt += 1) {
    let planned: Planned
    try {
      planned = plan(settings, kept)
    } catch (error) {
      return [toInstallError(error, 'cannot read the net folder', settings.netDir)]
    }
    const errors = [...planned.errors]
    let again = false
    for (const change of planned.changes) {
      try {
        void change.apply()
        done.push(describeChange(change))
      } catch (cause) {
        const error = toInstallError(cause, 'cannot change', change.path)
        again ||= error.code === 'CHANGED'
        errors.push(error)
      }
    }
    if (!again || attempt === ATTEMPTS) return errors
  }
}

interface Planned {
  readonly changes: Change[]
  readonly errors: InstallError[]
}

function plan(settings: Settings, kept: Kept): Planned {
  const { netDir, ownFile, type } = settings
  const files = readNetFolder(netDir)
  const changes: Change[] = []
  const errors: InstallError[] = []
  for (const [name, before] of files?.snapshots ?? []) {
    if (name.includes('/') || name === kept.ownFile || countEntries(before.bytes, type) === 0) continue
    const path = join(netDir, name)
    try {
      if (name === ownFile) changes.push(removeConf(before, 'uninstall'))
      else if (!kept.entries) {
        const text = removeEntry(before.bytes, type)
        if (text !== undefined) changes.push(replaceConf({ path, before }, text, 'uninstall', type))
      }
    } catch (error) {
      errors.push(toInstallError(error, 'cannot change', path))
    }
  }
  return { changes, errors }
}

function isGone(error: unknown): boolean {
  const errno = errnoOf(error)
  return errno === 'ENOENT' || errno === 'ENOTDIR'
}
