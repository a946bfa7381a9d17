import { closeSync, constants, lstatSync, openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '@cni/types'
import { privilegeHint } from '../enter/privileges.ts'
import { runInNew } from '../enter/runner.ts'
import { assertTarget } from '../enter/target.ts'
import type { Netns } from '../handle/netns.ts'
import { isNetnsError, NetnsError } from '../handle/netns-error.ts'
import { open } from '../handle/open.ts'
import { MNT_DETACH, MS_BIND, UMOUNT_NOFOLLOW } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import type { Sys } from '../sys/sys.ts'
import { prepareFolder } from './folder.ts'

/** Folder in which `ip netns` keeps its named namespaces. */
export const DEFAULT_FOLDER = '/run/netns'

/**
 * Creates an empty namespace with a name, as `ip netns add` does. The caller stays in its own namespace. All links of
 * the new namespace are down. Throws `NetnsError`: `EXISTS`, `INVALID` (name), `NO_FFI`, or an errno name.
 *
 * @example
 * using blue = netns.create('blue')      // now: ip netns exec blue ip link
 */
export function create(
  name = freshName(),
  options: {
    /** Folder for the bind mount of the named namespace. Default: `/run/netns`, where `ip netns` finds it. */
    dir?: string | undefined
  } = {},
): Netns {
  const { dir = DEFAULT_FOLDER } = options
  if (!isName(name)) {
    throw new NetnsError(
      'INVALID',
      `Invalid name for a network namespace: ${JSON.stringify(name)}; it must be a valid file name`,
    )
  }
  prepareFolder(loadSys(), dir)
  return createAt(join(dir, name))
}

/** Creates a network namespace and bind-mounts it at an exact path. The folder of the path must exist. */
export function createAt(path: string): Netns {
  return placed(path, () => runInNew((sys) => bindMount(sys, '/proc/thread-self/ns/net', path)))
}

/**
 * Gives an open network namespace a name by a bind mount. The mount keeps the namespace alive without processes or
 * handles.
 *
 * @example
 * using kept = netns.bind(pod, '/run/netns/kept')
 */
export function bind(namespace: Netns, path: string): Netns {
  assertTarget(namespace)
  const source = `/proc/thread-self/fd/${namespace.fd}`
  return placed(path, () => bindMount(loadSys(), source, path))
}

/**
 * Removes a namespace's name and closes the handle. The namespace ends when no process, handle or name refers to it. A
 * missing name is not an error. Throws `NOT_A_NAMESPACE` for a file that is not a namespace, and keeps the file.
 */
export function destroy(namespace: Netns | string): void {
  const path = typeof namespace === 'string' ? namespace : namespace.path
  if (typeof namespace !== 'string') namespace.close()
  while (isBound(path)) unmount(path)
  try {
    unlinkSync(path)
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return
    throw failed('remove the network namespace', path, cause)
  }
}

function placed(path: string, mount: () => void): Netns {
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0))
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw failed('create the network namespace', path, cause)
    throw new NetnsError('EXISTS', `Could not create the network namespace ${JSON.stringify(path)}: the file exists`, {
      path,
      cause,
    })
  }
  try {
    mount()
    return open(path)
  } catch (cause) {
    destroy(path)
    throw isNetnsError(cause) ? cause : failed('create the network namespace', path, cause)
  }
}

function bindMount(sys: Sys, source: string, path: string): void {
  sys.mount(source, path, 'none', MS_BIND, null)
}

function unmount(path: string): void {
  try {
    loadSys().umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW)
  } catch (cause) {
    throw failed('unmount the network namespace', path, cause)
  }
}

/** True if a namespace is mounted at the path. False for a leftover empty file. */
function isBound(path: string): boolean {
  try {
    open(path).close()
    return true
  } catch (error) {
    if (!isNetnsError(error)) throw error
    if (error.code === 'NOT_FOUND') return false
    if (error.code !== 'NOT_A_NAMESPACE') throw error
    const file = lstatSync(path)
    if (file.isFile() && file.size === 0 && (file.mode & 0o777) === 0) return false
    throw error
  }
}

function failed(what: string, path: string, cause: unknown): NetnsError {
  const errno = errnoOf(cause) ?? 'INVALID'
  const why = `${errno}${privilegeHint(errno, 'CAP_SYS_ADMIN')}`
  return new NetnsError(errno, `Could not ${what} ${JSON.stringify(path)}: ${why}`, { path, cause })
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name) && Buffer.byteLength(name) <= 255
}

function freshName(): string {
  return `cni-${globalThis.crypto.randomUUID()}`
}
