import { type AmbientPod, decideEnrolment, type EnrolmentSettings, podRef } from '@cni/istio-rules'
import { messageOf, printable } from '@cni/types'
import type { AnnouncedPod } from '../../pods/announced-pod.ts'
import { type AmbientStatus, PENDING_SHOWN } from '../../serve/ambient-status.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import type { AmbientMetrics } from '../ambient-metrics.ts'
import type { NamespaceCheck } from '../namespace/namespace-check.ts'
import { podChecker } from './check-pods.ts'
import type { Enroller } from './enroller.ts'
import { EnrolmentError } from './enrolment-error.ts'
import { type EnrolmentStep, nextStep } from './next-step.ts'
import { podQueue } from './pod-queue.ts'
import { foundAgain, kindsOf, newState, type PodCounts, type PodState, reachOf } from './pod-state.ts'
import type { PodStore } from './pod-store.ts'
import { notEligible, notFound, waitForPod } from './wait-for-pod.ts'

/** Dependencies of {@link meshReconciler}, which adds pods to the mesh and removes them. */
export interface MeshReconcilerOptions {
  readonly seen: PodStore
  readonly enroller: Enroller
  readonly settings: EnrolmentSettings
  /** Check of the network namespaces of enrolled pods. Absent for node-level redirection. */
  readonly namespaces?: NamespaceCheck | undefined
  readonly metrics: AmbientMetrics
  readonly log: ScopedLog
  readonly signal: AbortSignal
}

/** Pod as `namespace/name`, with a sentence that explains its state. */
export type PodAndReason = AmbientStatus['waiting'][number]

/** Adds the node's pods to the mesh or removes pods, as labels require. */
export interface MeshReconciler {
  /** Queues a reconciliation of a pod with the mesh. */
  enqueue(uid: string): void
  /** Queues all pods whose enrolment waits or failed, for example after ztunnel recovers. */
  enqueuePending(): void
  /** Enrols the pod that a plugin's call names. Resolves when the annotation is written. */
  enrol(pod: AnnouncedPod, signal: AbortSignal): Promise<void>
  /** Takes over an earlier agent's pod. `hadSidecar`: a sidecar may have written rules in the pod. */
  adopt(pod: AmbientPod, hadSidecar?: boolean): void
  /** Checks the redirection rules in a pod, and repairs them. */
  heal(uid: string): Promise<void>
  /** Compares the namespaces of enrolled pods with the node. Enrols pods with a new namespace again. */
  compare(): Promise<void>
  /** Lists the UIDs of the pods that this agent has enrolled completely or in part. */
  enrolled(): string[]
  counts(): PodCounts
  /** Lists the first 20 pods whose enrolment waits or failed, each with the reason. */
  waiting(): PodAndReason[]
  /** Lists the first 20 enrolled pods whose traffic is not captured, each with the reason. */
  astray(): PodAndReason[]
  idle(): Promise<void>
}

/** Maximal number of enrolment steps in one reconciliation of a pod. */
const MAX_STEPS = 6

/** Creates the reconciler of the node's pods, initially without pods. */
export function meshReconciler(options: MeshReconcilerOptions): MeshReconciler {
  const { seen, enroller, settings, namespaces, metrics, log, signal } = options
  const states = new Map<string, PodState>()
  const stateOf = (uid: string): PodState => {
    const state = states.get(uid) ?? newState(uid, log)
    states.set(uid, state)
    return state
  }
  const counts = (): PodCounts => {
    const found = { enrolled: 0, pending: 0, notCaptured: 0 }
    for (const state of states.values()) for (const kind of kindsOf(state)) found[kind] += 1
    return found
  }
  /** Numbers of pods by state. Each change of a pod updates the numbers, because counting all pods is slow. */
  const counted = { enrolled: 0, pending: 0, notCaptured: 0 }
  const count = (state: PodState): void => {
    for (const kind of state.counted) counted[kind] -= 1
    state.counted = states.get(state.uid) === state ? kindsOf(state) : []
    for (const kind of state.counted) counted[kind] += 1
    metrics.pods(counted.enrolled, counted.pending, counted.notCaptured)
  }
  const queue = podQueue({
    reconcile,
    failed(uid, error, pauseMs) {
      const state = stateOf(uid)
      state.waits = printable(messageOf(error))
      const pod = seen.situationOf(uid)?.pod
      state.throttled.failed(`cannot reconcile a pod yet: ${state.waits}`, {
        pod: pod === undefined ? uid : podRef(pod),
        nextAttemptInMs: pauseMs,
      })
      count(state)
    },
    signal,
  })

  async function reconcile(uid: string): Promise<void> {
    const state = stateOf(uid)
    for (let steps = 0; steps < MAX_STEPS && !signal.aborted; steps += 1) {
      const known = seen.situationOf(uid)
      if (known === undefined) return forget(uid, state)
      if (steps === 0) metrics.reconciled(known.deleted ? 'delete' : 'update')
      const step = nextStep({ ...known, reached: state.reached }, settings)
      const done = await performStep(step, known.pod, state)
      if (known.deleted) {
        seen.forget(uid)
        return forget(uid, state)
      }
      if (done) break
    }
    count(state)
  }

  function forget(uid: string, state: PodState): void {
    states.delete(uid)
    count(state)
  }

  /** Performs one enrolment step for a pod. Returns true if no further step can run now. */
  async function performStep(step: EnrolmentStep, pod: AmbientPod, state: PodState): Promise<boolean> {
    if (step.step !== 'none') log.info(`${STEP_TEXTS[step.step]}: ${step.why}`, { pod: podRef(pod) })
    switch (step.step) {
      case 'none':
        state.waits = step.waiting ? step.why : undefined
        return true
      case 'enrol':
        try {
          await enroller.enrol(pod, { addresses: step.addresses, reach: reachOf(state) })
        } catch (error) {
          if (!(error instanceof EnrolmentError) || error.code !== 'IMPOSSIBLE') throw error
          // Ends this reconciliation without a retry. The next change of the pod, or the next round of `reconcilePods`,
          // tries the enrolment again.
          state.waits = printable(error.message)
          state.throttled.failed(state.waits, { pod: podRef(pod) })
          return true
        }
        state.waits = undefined
        return false
      case 'addresses':
        await enroller.readdress(pod, step.addresses)
        if (state.reached !== undefined) state.reached = { ...state.reached, addresses: step.addresses }
        return false
      case 'annotate':
        await enroller.annotate(pod, 'enabled', step.patch)
        return false
      case 'leave':
        await enroller.leave(pod, step)
        state.reached = undefined
        state.waits = undefined
        foundAgain(state)
        return false
    }
  }

  /** Enrols the pod of a plugin's call. Runs in the pod's queue, with the current state. */
  async function enrolNow(uid: string, given: AnnouncedPod, left: AbortSignal): Promise<void> {
    left.throwIfAborted()
    const known = seen.situationOf(uid)
    if (known === undefined || known.deleted) throw notFound(given)
    const { pod } = known
    if (!decideEnrolment(pod, known.namespaceLabels ?? {}, settings).enrolled) throw notEligible(pod)
    const state = stateOf(uid)
    metrics.reconciled('add')
    const addresses = given.addresses
    try {
      await enroller.enrol(pod, {
        addresses,
        netns: given.netns,
        signal: left,
        reach: reachOf(state),
      })
      state.waits = undefined
    } catch (error) {
      state.waits = printable(messageOf(error))
      throw error
    } finally {
      count(state)
      // Queues a reconciliation for changes that arrived during the enrolment.
      queue.enqueue(uid)
    }
  }

  return {
    enqueue: queue.enqueue,
    counts,
    idle: queue.idle,
    enqueuePending() {
      for (const [uid, { waits }] of states) if (waits !== undefined) queue.enqueue(uid)
    },
    async enrol(given, left) {
      const pod = await waitForPod(given, seen, AbortSignal.any([left, signal]))
      await queue.run(pod.uid, () => enrolNow(pod.uid, given, left))
    },
    adopt(pod, hadSidecar = false) {
      stateOf(pod.uid).reached = { status: 'enabled', addresses: pod.addresses, hadSidecar }
    },
    heal: (uid) =>
      queue.run(uid, async () => {
        const state = states.get(uid)
        const known = seen.situationOf(uid)
        if (state?.reached === undefined || known === undefined || known.deleted) return
        try {
          const drift = await enroller.heal(known.pod)
          if (drift.length === 0) return
          metrics.healed('pod')
          const text = 'repaired the rules in a pod'
          log.warn(text, { pod: podRef(known.pod), drift: printable(drift.join('; ')) })
        } catch (error) {
          metrics.healFailed('pod')
          state.throttled.failed(`cannot check the rules in a pod: ${printable(messageOf(error))}`, {
            pod: podRef(known.pod),
          })
        }
      }),
    compare: namespaces === undefined ? async () => {} : podChecker({ namespaces, states, seen, queue, count, log }),
    enrolled: () => [...states].flatMap(([uid, { reached }]) => (reached === undefined ? [] : [uid])),
    waiting: () => podsWithReason(({ waits }) => waits),
    astray: () =>
      podsWithReason(({ lost, waits }) => lost && [lost, waits].filter((part) => part !== undefined).join('; ')),
  }

  function podsWithReason(whyOf: (state: PodState) => string | undefined): PodAndReason[] {
    const found: PodAndReason[] = []
    for (const state of states.values()) {
      const why = whyOf(state)
      const pod = why === undefined ? undefined : seen.situationOf(state.uid)?.pod
      if (why !== undefined && pod !== undefined) found.push({ pod: podRef(pod), why })
      if (found.length === PENDING_SHOWN) break
    }
    return found
  }
}

// internal

const STEP_TEXTS: Readonly<Record<Exclude<EnrolmentStep['step'], 'none'>, string>> = {
  enrol: 'adding a pod to the mesh',
  addresses: "updating a pod's addresses",
  annotate: "updating a pod's annotation",
  leave: 'removing a pod from the mesh',
}
