import { closeSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { DiscoveryError } from './discovery-error.ts'

const SOCK_CLOEXEC = 0x80000
/** Identity of a network namespace. The kernel reuses inode numbers, but never a cookie. */
export interface NamespaceIdentity {
  readonly dev: bigint
  readonly ino: bigint
  /** SO_NETNS_COOKIE, since Linux 5.14. `undefined` on an older kernel, and in a record that was written without it. */
  readonly cookie?: bigint | undefined
}

/** Reads the identity of an open namespace. */
export const identityOf = (target: Netns): NamespaceIdentity => ({
  dev: target.dev,
  ino: target.ino,
  cookie: cookieOf(target),
})

/** True if both identities are of the same namespace. Cookies are compared only if both are known. */
export const isSameNamespace = (one: NamespaceIdentity, other: NamespaceIdentity): boolean =>
  namespaceKey(one) === namespaceKey(other) &&
  (one.cookie === undefined || other.cookie === undefined || one.cookie === other.cookie)

/**
 * Device and inode as `dev:ino`. The key identifies a namespace only while the namespace is open, or within one
 * snapshot.
 * For a namespace that may have ended, compare its cookie as well.
 */
export const namespaceKey = ({ dev, ino }: Pick<NamespaceIdentity, 'dev' | 'ino'>): string => `${dev}:${ino}`

/** Key of a process's namespace. `undefined` if the process has ended, or if the permission to read it is missing. */
export function namespaceOfProcess(process: string): string | undefined {
  try {
    return namespaceKey(statSync(join(process, 'ns/net'), { bigint: true }))
  } catch {
    return undefined
  }
}

/**
 * Key of the node's own network namespace.
 *
 * @throws {@link DiscoveryError} if the permission to read the node's first process is missing.
 */
export function nodeNamespace(hostProc: string): string {
  const namespace = namespaceOfProcess(join(hostProc, '1'))
  if (namespace !== undefined) return namespace
  const file = join(hostProc, '1/ns/net')
  throw new DiscoveryError(
    `cannot find the node's own network namespace: ${file} is not readable (needs CAP_SYS_PTRACE)`,
  )
}

/**
 * Keys of the namespaces that never belong to a pod: the node's own and this process's.
 *
 * @throws {@link DiscoveryError} if the permission to read the node's first process is missing.
 */
export function reservedNamespaces(hostProc: string): ReadonlySet<string> {
  const own = namespaceOfProcess('/proc/self')
  return new Set([nodeNamespace(hostProc), ...(own === undefined ? [] : [own])])
}

// internal

const SOL_SOCKET = 1
const SO_NETNS_COOKIE = 71
const [AF_UNIX, SOCK_DGRAM] = [1, 2]

/** Reads the cookie of a namespace from a socket that is created in it. */
function cookieOf(target: Netns): bigint | undefined {
  try {
    const sys = loadSys()
    const socket = netns.run(target, () => sys.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    try {
      const value = sys.getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, 8)
      return value.length < 8 ? undefined : new DataView(value.buffer, value.byteOffset).getBigUint64(0, true)
    } finally {
      closeSync(socket)
    }
  } catch {
    // The kernel has no cookies, or this process has no permission to enter the namespace. The identity is then device
    // and inode only.
    return undefined
  }
}
