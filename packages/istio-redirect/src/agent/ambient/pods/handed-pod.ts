import { type AmbientPod, type PodIdentity, podRef } from '@cni/istio-rules'
import { printable } from '@cni/types'
import type { HandedPod } from '../../pods/handed-pod.ts'
import type { PodStore } from './pod-store.ts'

/** Finds the pod of a plugin's call. Retries, because the watch may deliver the pod later. */
export async function soughtPod(given: HandedPod, seen: PodStore, signal: AbortSignal): Promise<AmbientPod> {
  for (let looks = 1; ; looks += 1) {
    signal.throwIfAborted()
    const found = seen.find(given)
    const isRight = found !== undefined && (given.uid === undefined || given.uid === '' || given.uid === found.uid)
    if (isRight && seen.namespaceLabels(given.namespace) !== undefined) return found
    if (looks === LOOKS) throw isRight ? noNamespace(given) : notFound(given)
    await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
  }
}

export const notFound = (pod: PodIdentity): Error =>
  new Error(`failed to get pod ${named(pod)}: failed to find pod ${named(pod)}`)

export const notEligible = (pod: PodIdentity): Error =>
  new Error(`pod ${named(pod)} is unexpectedly not eligible for ambient enrollment`)

// internal

/** Maximal number of lookups of a plugin's pod in the store. */
const LOOKS = 11
const LOOK_PAUSE_MS = 10

const named = (pod: PodIdentity): string => printable(podRef(pod))

const noNamespace = (pod: PodIdentity): Error =>
  new Error(`failed to get pod ${named(pod)}: failed to find namespace ${printable(pod.namespace)}`)
