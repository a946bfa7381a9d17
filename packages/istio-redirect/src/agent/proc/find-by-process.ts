import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Netns } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { NodeSnapshot } from './node-snapshot.ts'
import { openOfProcess } from './open-namespace.ts'
import { addressesIn, identifyingAddresses } from './pod-addresses.ts'
import { olderFirst, podOfProcess, type StartedProcess, startTimeOf } from './proc-files.ts'
import type { Holders, SoughtPod } from './sought-pod.ts'

/** Result of a search for the network namespaces of pods through processes. */
export interface FoundByProcess {
  /** Map from namespace keys to UIDs of the pods with processes in the network namespace. */
  readonly owners: ReadonlyMap<string, readonly string[]>
  readonly refused: ReadonlyMap<string, string>
  readonly warnings: readonly string[]
}

/** Finds the network namespaces of pods through the pods' processes, and adds the namespaces to `found`. */
export async function findByProcess(
  snapshot: NodeSnapshot,
  sought: ReadonlyMap<string, SoughtPod>,
  holders: Holders,
  found: Map<string, Netns>,
): Promise<FoundByProcess> {
  const { owners, processes } = await processesOf(snapshot, sought, holders)
  const taken = new Set<string>()
  const tries = new Map<string, number>()
  const refused = new Map<string, string>()
  const warnings = new Set<string>()
  for (const { pid, uid, key } of processes) {
    const addresses = sought.get(uid)?.addresses
    const tried = (tries.get(uid) ?? 0) + 1
    if (addresses === undefined || taken.has(key) || tried > MAX_TRIES) continue
    tries.set(uid, tried)
    const opened = openOfProcess(snapshot, key, pid, uid)
    if (opened === undefined) continue
    const problem = found.has(uid)
      ? "is in another namespace than the pod's oldest process"
      : await refusal(opened, addresses)
    if (problem === undefined) {
      found.set(uid, opened)
      taken.add(key)
      continue
    }
    opened.close()
    const text = `process ${pid} of the pod with UID ${uid} ${problem}`
    warnings.add(text)
    refused.set(uid, text)
  }
  for (const uid of found.keys()) refused.delete(uid)
  return { owners, refused, warnings: [...warnings] }
}

// internal

/** Maximal number of namespaces inspected for a pod, because a pod may create thousands. */
const MAX_TRIES = 16

interface PodProcess extends StartedProcess {
  readonly uid: string
  readonly key: string
}

/** Finds the oldest process of each pod in each network namespace, sorted by age. */
async function processesOf(
  { namespaces, hostProc }: NodeSnapshot,
  sought: ReadonlyMap<string, SoughtPod>,
  holders: Holders,
) {
  const owners = new Map<string, readonly string[]>()
  const processes: PodProcess[] = []
  let read = 0
  if (sought.size === 0) return { owners, processes }
  for (const [key, { pids }] of namespaces) {
    const holder = holders.get(key)
    if (holder !== undefined && !sought.has(holder)) continue
    const oldest = new Map<string, PodProcess | undefined>()
    for (const pid of pids) {
      read += 1
      if (read % 256 === 0) await yieldToEventLoop()
      const uid = podOfProcess(hostProc, pid)
      if (uid === undefined) continue
      const before = oldest.get(uid)
      const isWanted = sought.has(uid) && (holder === undefined || holder === uid)
      const process = isWanted ? { pid, uid, key, startTime: startTimeOf(hostProc, pid) } : undefined
      const isOlder = process !== undefined && (before === undefined || olderFirst(process, before) < 0)
      oldest.set(uid, isOlder ? process : before)
    }
    owners.set(key, [...oldest.keys()])
    for (const process of oldest.values()) if (process !== undefined) processes.push(process)
  }
  return { owners, processes: processes.sort(olderFirst) }
}

/** Returns the reason why a network namespace's addresses do not fit a pod. */
async function refusal(opened: Netns, addresses: readonly string[]): Promise<string | undefined> {
  try {
    const there = await addressesIn(opened)
    return identifyingAddresses(addresses).some((address) => there.has(address))
      ? undefined
      : `is in a namespace without its addresses ${addresses.join(', ')}`
  } catch (error) {
    return `is in a namespace that cannot be inspected: ${messageOf(error)}`
  }
}
