import { statSync } from 'node:fs'
import type { InvokeOptions } from './exec.ts'
import { getVersionInfo } from './version-info.ts'

/** The versions of the executables that this process has asked, by what tells one file from the next in its place. */
const known = new Map<string, readonly string[]>()

/** What this process knows of the versions of an executable; `undefined` when it has not asked, or the file changed. */
export function knownVersions(path: string): readonly string[] | undefined {
  // One process per pod: where nothing was asked yet, nothing is looked up either.
  const identity = known.size === 0 ? undefined : identityOf(path)
  return identity === undefined ? undefined : known.get(identity)
}

/** Keeps the versions of an executable for later calls of this process. */
export function rememberVersions(path: string, versions: readonly string[]): void {
  const identity = identityOf(path)
  if (identity !== undefined) known.set(identity, versions)
}

/** The versions that an executable supports: asked with VERSION, once per file. */
export async function supportedVersions(path: string, options: InvokeOptions): Promise<readonly string[]> {
  const already = knownVersions(path)
  if (already !== undefined) return already
  const { supportedVersions: versions } = await getVersionInfo(path, options)
  rememberVersions(path, versions)
  return versions
}

function identityOf(path: string): string | undefined {
  // No file: a plugin behind a port of its own.
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && [path, stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}
