import { statSync } from 'node:fs'
import type { Exec, InvokeOptions } from './exec.ts'
import { getVersionInfo } from './version-info.ts'

type Versions = readonly string[]

/** Versions that this process has learned, keyed by path and identity of the executable file. */
const ours = new Map<string, Versions>()
/** Learned versions for each `Exec` of a caller: with another `Exec`, the same path may be another file. */
const byPort = new WeakMap<Exec, Map<string, Versions>>()

/**
 * Versions that this process has learned of an executable; `undefined` if it has learned none or the file has changed.
 */
export function knownVersions(path: string, exec: Exec | undefined): Versions | undefined {
  const known = exec === undefined ? ours : byPort.get(exec)
  // A plugin process usually makes one call. It skips the `stat` while nothing is learned.
  const identity = known?.size ? identityOf(path) : undefined
  return identity === undefined ? undefined : known?.get(identity)
}

/** Remembers the versions of an executable for later calls in this process. */
export function rememberVersions(path: string, exec: Exec | undefined, versions: Versions): void {
  const identity = identityOf(path)
  if (identity === undefined) return
  const known = exec === undefined ? ours : (byPort.get(exec) ?? new Map<string, Versions>())
  if (exec !== undefined) byPort.set(exec, known)
  known.set(identity, versions)
}

/** Versions that an executable supports. Queries VERSION once per file. */
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
  // A caller's `Exec` may run plugins that are not files.
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && [path, stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}
