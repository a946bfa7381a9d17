import { closeSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { DiscoveryError } from './discovery-error.ts'

const SOCK_CLOEXEC = 0x80000
/**
 * Identity of a network namespace: device, inode number and cookie. The kernel reuses inode numbers, but never a
 * cookie.
 */
export interface NamespaceIdentity {
  readonly dev: bigint
  readonly ino: bigint
  /** Cookie of the network namespace (SO_NETNS_COOKIE). Absent before Linux 5.14. */
  readonly cookie?: bigint | undefined
}

/** Reads device, inode number and cookie of an open network namespace. */
export const identityOf = (target: Netns): NamespaceIdentity => ({
  dev: target.dev,
  ino: target.ino,
  cookie: cookieOf(target),
})

/** True if two identities belong to the same network namespace. Cookies are compared only if both are known. */
export const isSameNamespace = (one: NamespaceIdentity, other: NamespaceIdentity): boolean =>
  namespaceKey(one) === namespaceKey(other) &&
  (one.cookie === undefined || other.cookie === undefined || one.cookie === other.cookie)

/** Returns a network namespace's key `dev:ino`. Callers also compare cookies, because the kernel reuses keys. */
export const namespaceKey = ({ dev, ino }: Pick<NamespaceIdentity, 'dev' | 'ino'>): string => `${dev}:${ino}`

/** Reads the key (`dev:ino`) of a process's network namespace, if accessible. */
export function namespaceOfProcess(process: string): string | undefined {
  try {
    return namespaceKey(statSync(join(process, 'ns/net'), { bigint: true }))
  } catch {
    return undefined
  }
}

/**
 * Reads the key (`dev:ino`) of the node's own network namespace.
 *
 * @throws {@link DiscoveryError} if the agent has no permission to read the node's first process.
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
 * Reads the keys (`dev:ino`) of the network namespaces of the node and the agent.
 *
 * @throws {@link DiscoveryError} if the agent has no permission to read the node's first process.
 */
export function reservedNamespaces(hostProc: string): ReadonlySet<string> {
  const own = namespaceOfProcess('/proc/self')
  return new Set([nodeNamespace(hostProc), ...(own === undefined ? [] : [own])])
}

// internal

const SOL_SOCKET = 1
const SO_NETNS_COOKIE = 71
const [AF_UNIX, SOCK_DGRAM] = [1, 2]

/** Reads the cookie of a network namespace from a socket that is created inside the namespace. */
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
    // Uses only device and inode number, because the cookie is unavailable.
    return undefined
  }
}
