import { statSync } from 'node:fs'
import type { Exec, InvokeOptions } from './exec.ts'
import { getVersionInfo } from './version-info.ts'

type Versions = readonly string[]

/** Map from an executable (path, inode, timestamps) to the CNI versions that this process has learned. */
const ours = new Map<string, Versions>()
/** Map from an `Exec` to its own cache: one path may mean different plugins for different `Exec`s. */
const byPort = new WeakMap<Exec, Map<string, Versions>>()

/** CNI versions of a plugin that this process has already learned. */
export function knownVersions(path: string, exec: Exec | undefined): Versions | undefined {
  const known = exec === undefined ? ours : byPort.get(exec)
  // Skips the `stat` while the cache is empty: most plugin processes make only one call.
  const identity = known?.size ? identityOf(path) : undefined
  return identity === undefined ? undefined : known?.get(identity)
}

/** Remembers the CNI versions that a plugin's executable supports, for later calls in this process. */
export function rememberVersions(path: string, exec: Exec | undefined, versions: Versions): void {
  const identity = identityOf(path)
  if (identity === undefined) return
  const known = exec === undefined ? ours : (byPort.get(exec) ?? new Map<string, Versions>())
  if (exec !== undefined) byPort.set(exec, known)
  known.set(identity, versions)
}

/** CNI versions that a plugin's executable supports. Queries them with VERSION once per file. */
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
  // A caller's `Exec` may run plugins that are not files, so a missing file is not an error.
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && [path, stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}
