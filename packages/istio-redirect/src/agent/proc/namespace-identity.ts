import { closeSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { DiscoveryError } from './discovery-error.ts'

const SOCK_CLOEXEC = 0x80000
/** Identity of a network namespace. The kernel uses inode numbers again; it never uses a cookie again. */
export interface NamespaceIdentity {
  readonly dev: bigint
  readonly ino: bigint
  /** SO_NETNS_COOKIE, Linux 5.14; `undefined` on an older kernel, and in a record that was written without it. */
  readonly cookie?: bigint | undefined
}

/** Reads the identity of an open namespace. */
export const identityOf = (target: Netns): NamespaceIdentity => ({
  dev: target.dev,
  ino: target.ino,
  cookie: cookieOf(target),
})

/** True if both are one namespace. A cookie that is known on one side only is not compared. */
export const isSameNamespace = (one: NamespaceIdentity, other: NamespaceIdentity): boolean =>
  namespaceKey(one) === namespaceKey(other) &&
  (one.cookie === undefined || other.cookie === undefined || one.cookie === other.cookie)

/**
 * Device and inode as `dev:ino`: a complete identity among namespaces that are open, or seen at one moment. What is
 * remembered of a namespace that may have ended needs its cookie as well.
 */
export const namespaceKey = ({ dev, ino }: Pick<NamespaceIdentity, 'dev' | 'ino'>): string => `${dev}:${ino}`

/** The key of the namespace that a process is in; `undefined` if the process has ended, or may not be looked at. */
export function namespaceOfProcess(process: string): string | undefined {
  try {
    return namespaceKey(statSync(join(process, 'ns/net'), { bigint: true }))
  } catch {
    return undefined
  }
}

/**
 * The key of the node's own network namespace.
 *
 * @throws {@link DiscoveryError} when the first process may not be looked at.
 */
export function nodeNamespace(hostProc: string): string {
  const namespace = namespaceOfProcess(join(hostProc, '1'))
  if (namespace !== undefined) return namespace
  const file = join(hostProc, '1/ns/net')
  throw new DiscoveryError(`cannot tell which namespace is the node's: ${file} is not readable (needs CAP_SYS_PTRACE)`)
}

/**
 * The keys of the namespaces that are no pod's to the agent: the node's own, and the one that this process is in.
 *
 * @throws {@link DiscoveryError} when the first process may not be looked at.
 */
export function reservedNamespaces(hostProc: string): ReadonlySet<string> {
  const own = namespaceOfProcess('/proc/self')
  return new Set([nodeNamespace(hostProc), ...(own === undefined ? [] : [own])])
}

// internal

const SOL_SOCKET = 1
const SO_NETNS_COOKIE = 71
const [AF_UNIX, SOCK_DGRAM] = [1, 2]

/** The cookie of a namespace, asked of a socket that is made in it. */
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
    return undefined // the kernel has none, or this process may not enter: device and inode remain
  }
}
