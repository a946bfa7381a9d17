import { statSync } from 'node:fs'
import type { Exec, InvokeOptions } from './exec.ts'
import { getVersionInfo } from './version-info.ts'

type Versions = readonly string[]

/** The versions that this process has learned, by the path and identity of the executable file. */
const ours = new Map<string, Versions>()
/** The same for each `Exec` of a caller, where a path may lead to another file. */
const byPort = new WeakMap<Exec, Map<string, Versions>>()

/** The versions of an executable that this process has learned; `undefined` if it has not, or the file is another now. */
export function knownVersions(path: string, exec: Exec | undefined): Versions | undefined {
  const known = exec === undefined ? ours : byPort.get(exec)
  // One process per pod: where nothing was learned yet, nothing is looked up either.
  const identity = known?.size ? identityOf(path) : undefined
  return identity === undefined ? undefined : known?.get(identity)
}

/** Keeps the versions of an executable for later calls of this process. */
export function rememberVersions(path: string, exec: Exec | undefined, versions: Versions): void {
  const identity = identityOf(path)
  if (identity === undefined) return
  const known = exec === undefined ? ours : (byPort.get(exec) ?? new Map<string, Versions>())
  if (exec !== undefined) byPort.set(exec, known)
  known.set(identity, versions)
}

/** The versions that an executable supports: asked with VERSION, once per file. */
export async function supportedVersions(
  path: string,
  exec: Exec | undefined,
  options: InvokeOptions,
): Promise<Versions> {
  const already = knownVersions(path, exec)
  if (already !== undefined) return already
  const { supportedVersions: versions } = await getVersionInfo(path, options)
  rememberVersions(path, exec, versions)
  return versions
}

function identityOf(path: string): string | undefined {
  // Plugins behind a port need not be files.
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && [path, stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}
