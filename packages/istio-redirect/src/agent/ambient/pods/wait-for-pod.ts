import { type AmbientPod, type PodIdentity, podRef } from '@cni/istio-rules'
import { printable } from '@cni/types'
import type { AnnouncedPod } from '../../pods/announced-pod.ts'
import type { PodStore } from './pod-store.ts'

/** Finds the pod of a plugin's call. Retries, because the watch may deliver the pod later. */
export async function waitForPod(given: AnnouncedPod, seen: PodStore, signal: AbortSignal): Promise<AmbientPod> {
  for (let lookups = 1; ; lookups += 1) {
    signal.throwIfAborted()
    const found = seen.find(given)
    const isRight = found !== undefined && (given.uid === undefined || given.uid === '' || given.uid === found.uid)
    if (isRight && seen.namespaceLabels(given.namespace) !== undefined) return found
    if (lookups === MAX_LOOKUPS) throw isRight ? noNamespace(given) : notFound(given)
    await new Promise((resolve) => setTimeout(resolve, LOOKUP_PAUSE_MS))
  }
}

export const notFound = (pod: PodIdentity): Error =>
  new Error(`failed to get pod ${printableRef(pod)}: failed to find pod ${printableRef(pod)}`)

export const notEligible = (pod: PodIdentity): Error =>
  new Error(`pod ${printableRef(pod)} is unexpectedly not eligible for ambient enrollment`)

// internal

/** Maximal number of lookups of a plugin's pod in the store. */
const MAX_LOOKUPS = 11
const LOOKUP_PAUSE_MS = 10

const printableRef = (pod: PodIdentity): string => printable(podRef(pod))

const noNamespace = (pod: PodIdentity): Error =>
  new Error(`failed to get pod ${printableRef(pod)}: failed to find namespace ${printable(pod.namespace)}`)
