import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Netns } from '@cni/netns'
import { messageOf } from '@cni/types'
import { podCgroup } from '../proc/pod-cgroup.ts'
import { addressesIn, openNamespace, podProcesses } from '../proc/pod-processes.ts'
import { podAddresses } from './ambient-pod.ts'

/** What a look at the processes of a node found. */
export interface FoundNamespaces {
  /** By UID; whoever asked closes them. */
  readonly namespaces: ReadonlyMap<string, Netns>
  /** Sentences for the log, about what was found and not taken. */
  readonly warnings: readonly string[]
}

/**
 * Opens the network namespaces of pods, by UID with their addresses: those of processes whose control groups say the
 * UID, with one of the pod's addresses in it, so that nobody is led into the namespace of another pod. Of several it is
 * the one with the oldest process; never the node's own. A pod without addresses is not looked for.
 *
 * @throws {@link DiscoveryError} when it cannot be told which namespace is the node's.
 * @example
 * ```ts
 * import { findPodNamespaces } from '@cni/istio-redirect/agent'
 *
 * const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
 * export async function pathOf(address: string) {
 *   const { namespaces } = await findPodNamespaces(new Map([[uid, [address]]]), '/proc')
 *   using found = namespaces.get(uid)
 *   return found?.path
 * }
 * ```
 */
export async function findPodNamespaces(
  wanted: ReadonlyMap<string, readonly string[]>,
  hostProc: string,
): Promise<FoundNamespaces> {
  const namespaces = new Map<string, Netns>()
  const taken = new Map<string, string>()
  const warnings = new Set<string>()
  const uids = new Map<string, string>()
  // Of most processes nothing else has to be read than whose they are.
  const isWanted = (pid: string): boolean => {
    const uid = uidOf(hostProc, pid)
    if (uid === undefined || (wanted.get(uid) ?? []).length === 0) return false
    uids.set(pid, uid)
    return true
  }
  try {
    for (const process of await podProcesses(hostProc, isWanted)) {
      const uid = uids.get(process.pid)
      const addresses = uid === undefined ? undefined : wanted.get(uid)
      if (uid === undefined || addresses === undefined || taken.has(process.namespace)) continue
      const opened = openNamespace(hostProc, process)
      if (opened === undefined) continue
      const problem = namespaces.has(uid)
        ? 'is in another namespace than the first of them'
        : await refusal(opened, addresses)
      if (problem === undefined) {
        namespaces.set(uid, opened)
        taken.set(process.namespace, uid)
        continue
      }
      opened.close()
      warnings.add(`process ${process.pid} of the pod with UID ${uid} ${problem}`)
    }
  } catch (error) {
    for (const each of namespaces.values()) each.close()
    throw error
  }
  return { namespaces, warnings: [...warnings] }
}

// internal

function uidOf(hostProc: string, pid: string): string | undefined {
  try {
    return podCgroup(readFileSync(join(hostProc, pid, 'cgroup'), 'utf8'))?.uid
  } catch {
    return undefined // it has ended
  }
}

/** Why a namespace is not that of a pod with these addresses. What cannot be looked at is not handed out. */
async function refusal(opened: Netns, addresses: readonly string[]): Promise<string | undefined> {
  try {
    const there = podAddresses(await addressesIn(opened))
    return podAddresses(addresses).some((address) => there.includes(address))
      ? undefined
      : `is in a namespace without its addresses ${addresses.join(', ')}`
  } catch (error) {
    return `is in a namespace that cannot be looked at: ${messageOf(error)}`
  }
}
