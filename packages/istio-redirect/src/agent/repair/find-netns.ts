import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { isNetnsError, type Netns, netns, openRtnl } from '@cni/netns'
import { type IpBytes, parseAddress, unmapAddress } from '@cni/types/ip'
import { isLinkLocalMulticast, isLinkLocalUnicast, isLoopback } from '../../redirect/ip.ts'
import { RepairError } from './repair-error.ts'

/** A namespace that some processes are in. */
interface Candidate {
  readonly pid: string
  /** Clock ticks after boot; `Infinity` when nobody says. */
  readonly startTime: number
}

/**
 * Opens the network namespace of a pod, found by its addresses: all of them are on interfaces in it. Of several the one
 * with the oldest process, which is the pause container: the init container may die meanwhile. Never the node's own.
 */
export async function findNetns(podIPs: readonly string[], hostProc: string): Promise<Netns> {
  const wanted = addressesIn(podIPs)
  if (wanted.length === 0) {
    throw new RepairError(`failed to parse addr: none of the pod's addresses is one: ${JSON.stringify(podIPs)}`)
  }
  for (const { pid } of await candidates(hostProc)) {
    const opened = openIfThere(join(hostProc, pid, 'ns/net'))
    if (opened === undefined) continue
    try {
      // A pid may have become another process since.
      if (!isHost(opened, hostProc) && (await hasAll(opened, wanted))) return opened
    } catch (error) {
      opened.close()
      throw error
    }
    opened.close()
  }
  throw new RepairError(`failed to find network namespace with the addresses ${podIPs.join(', ')}`)
}

/** One process per namespace, its oldest; the oldest of all first. */
async function candidates(hostProc: string): Promise<Candidate[]> {
  const host = namespaceOf(join(hostProc, '1'))
  if (host === undefined) {
    const file = join(hostProc, '1/ns/net')
    throw new RepairError(`cannot tell which namespace is the node's: ${file} is not readable (needs CAP_SYS_PTRACE)`)
  }
  const found = new Map<string, Candidate>()
  let seen = 0
  for (const pid of readdirSync(hostProc)) {
    if (!/^[1-9][0-9]*$/.test(pid)) continue
    seen += 1
    // Thousands of processes must not delay what else the agent does.
    if (seen % 256 === 0) await breathe()
    const id = namespaceOf(join(hostProc, pid))
    if (id === undefined || id === host) continue
    const startTime = startTimeOf(join(hostProc, pid))
    const before = found.get(id)
    if (before === undefined || startTime < before.startTime) found.set(id, { pid, startTime })
  }
  return [...found.values()].sort((a, b) => a.startTime - b.startTime || Number(a.pid) - Number(b.pid))
}

function namespaceOf(process: string): string | undefined {
  try {
    const { dev, ino } = statSync(join(process, 'ns/net'), { bigint: true })
    return `${dev}:${ino}`
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

function isHost({ dev, ino }: Netns, hostProc: string): boolean {
  return namespaceOf(join(hostProc, '1')) === `${dev}:${ino}`
}

async function hasAll(target: Netns, wanted: readonly string[]): Promise<boolean> {
  using rtnl = await openRtnl(target)
  const present = new Set((await rtnl.getAddresses()).map(({ cidr }) => canonical(cidr.split('/')[0] ?? '')))
  return wanted.every((address) => present.has(address))
}

/** The usable addresses of a pod's status; those that every namespace has, or none, are not. */
function addressesIn(podIPs: readonly string[]): string[] {
  return [...new Set(podIPs.map(canonical).filter((address) => address !== undefined))]
}

function canonical(text: string): string | undefined {
  const bytes = parseAddress(text)
  if (bytes === undefined) return undefined
  const ip: IpBytes = unmapAddress(bytes)
  const useless = isLoopback(ip) || isLinkLocalUnicast(ip) || isLinkLocalMulticast(ip) || ip.every((byte) => byte === 0)
  return useless ? undefined : Buffer.from(ip).toString('hex')
}
