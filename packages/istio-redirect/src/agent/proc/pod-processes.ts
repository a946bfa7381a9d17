import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { isNetnsError, type Netns, netns, openRtnl } from '@cni/netns'
import { DiscoveryError } from './discovery-error.ts'

/** A process in a network namespace that is not the node's. */
export interface PodProcess {
  readonly pid: string
  /** Which namespace, as `dev:ino`. */
  readonly namespace: string
  /** Clock ticks after boot; `Infinity` when nobody says. */
  readonly startTime: number
}

/**
 * The processes of a node that are in a network namespace other than the node's own, the oldest first; only those that are
 * wanted, if somebody knows which.
 *
 * @throws {@link DiscoveryError} when it cannot be told which namespace is the node's.
 */
export async function podProcesses(
  hostProc: string,
  isWanted: (pid: string) => boolean = () => true,
): Promise<PodProcess[]> {
  const host = nodeNamespace(hostProc)
  const found: PodProcess[] = []
  let seen = 0
  for (const pid of readdirSync(hostProc)) {
    if (!/^[1-9][0-9]*$/.test(pid)) continue
    seen += 1
    // Thousands of processes must not delay what else the agent does.
    if (seen % 256 === 0) await breathe()
    const namespace = namespaceOf(join(hostProc, pid))
    if (namespace === undefined || namespace === host || !isWanted(pid)) continue
    found.push({ pid, namespace, startTime: startTimeOf(join(hostProc, pid)) })
  }
  return found.sort((a, b) => a.startTime - b.startTime || Number(a.pid) - Number(b.pid))
}

/**
 * Which network namespace is the node's, as `dev:ino`.
 *
 * @throws {@link DiscoveryError} when that may not be looked at.
 */
export function nodeNamespace(hostProc: string): string {
  const namespace = namespaceOf(join(hostProc, '1'))
  if (namespace !== undefined) return namespace
  const file = join(hostProc, '1/ns/net')
  throw new DiscoveryError(`cannot tell which namespace is the node's: ${file} is not readable (needs CAP_SYS_PTRACE)`)
}

/**
 * Opens the namespace of a process; `undefined` when the process has ended, or its number has become that of another
 * one, of the node's own for example.
 */
export function openNamespace(hostProc: string, { pid, namespace, startTime }: PodProcess): Netns | undefined {
  const process = join(hostProc, pid)
  const opened = openIfThere(join(process, 'ns/net'))
  if (opened === undefined || (identityOf(opened) === namespace && startTimeOf(process) === startTime)) return opened
  opened.close()
  return undefined
}

/** Which namespace an open one is, as `dev:ino`. */
export const identityOf = ({ dev, ino }: Pick<Netns, 'dev' | 'ino'>): string => `${dev}:${ino}`

/** The addresses of a namespace, without prefix lengths. */
export async function addressesIn(target: Netns): Promise<string[]> {
  using rtnl = await openRtnl(target)
  return (await rtnl.getAddresses()).map(({ cidr }) => cidr.split('/')[0] ?? '')
}

// internal

function namespaceOf(process: string): string | undefined {
  try {
    return identityOf(statSync(join(process, 'ns/net'), { bigint: true }))
  } catch {
    return undefined // it has ended, or may not be looked at
  }
}

function startTimeOf(process: string): number {
  try {
    const stat = readFileSync(join(process, 'stat'), 'utf8')
    // The name of the program is in parentheses and may hold some itself.
    const text = stat.slice(stat.lastIndexOf(')') + 1).split(' ')[20] ?? ''
    return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function openIfThere(path: string): Netns | undefined {
  try {
    return netns.open(path)
  } catch (error) {
    if (isNetnsError(error)) return undefined // its last process has ended
    throw error
  }
}
