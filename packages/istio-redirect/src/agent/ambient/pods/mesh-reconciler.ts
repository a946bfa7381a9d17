import type { AmbientPod } from '@cni/istio-rules'
import { decideEnrolment, type EnrolmentSettings } from '@cni/istio-rules'
import { messageOf, printable } from '@cni/types'
import type { ScopedLog } from '../../part/services.ts'
import type { HandedPod } from '../../pods/handed-pod.ts'
import { PENDING_SHOWN } from '../../serve/ambient-status.ts'
import type { AmbientMetrics } from '../ambient-metrics.ts'
import type { NamespaceCheck } from '../namespace/namespace-check.ts'
import { podChecker } from './check-pods.ts'
import { type Enroller, podRef } from './enroller.ts'
import { isEnrolmentError } from './enrolment-error.ts'
import { notEligible, notFound, soughtPod } from './handed-pod.ts'
import { type EnrolmentStep, nextStep } from './next-step.ts'
import { podQueue } from './pod-queue.ts'
import { foundAgain, kindsOf, newState, type PodCounts, type PodState, reachOf } from './pod-state.ts'
import type { PodStore } from './pod-store.ts'

/** Dependencies of {@link meshReconciler}. */
export interface PodsInMeshOptions {
  readonly seen: PodStore
  readonly enroller: Enroller
  readonly settings: EnrolmentSettings
  /** Absent where pods have no namespace to be compared. */
  readonly namespaces?: NamespaceCheck | undefined
  readonly metrics: AmbientMetrics
  readonly log: ScopedLog
  readonly signal: AbortSignal
}

/** A pod as `namespace/name`, and a sentence. */
export interface PodAndReason {
  readonly pod: string
  readonly why: string
}

/** The pods of the node and how far each is; everything about one of them happens in its turn. */
export interface MeshReconciler {
  /** Has a pod looked at, for whatever reason. */
  look(uid: string): void
  /** Those that ztunnel or the API server kept from being enrolled are looked at now. */
  lookAtPending(): void
  /** Brings a pod in that a plugin hands over; settles when it is in, with its annotation. */
  enrol(pod: HandedPod, signal: AbortSignal): Promise<void>
  /** Says that a pod is in the mesh since before this agent, and whether a sidecar may have its rules in it since. */
  adopt(pod: AmbientPod, hadSidecar?: boolean): void
  /** Looks whether the rules of a pod are as they should be, and puts them right. */
  heal(uid: string): Promise<void>
  /** Compares the namespaces of those that are in the mesh with what the node shows, and has the replaced ones enrolled. */
  compare(): Promise<void>
  /** Those that are in the mesh. */
  enrolled(): string[]
  counts(): PodCounts
  /** The first of those that are not in and should be. */
  waiting(): PodAndReason[]
  /** The first of those that were enrolled and are not captured. */
  astray(): PodAndReason[]
  idle(): Promise<void>
}

/** Steps that one look may take: more than any pod needs when each of them works. */
const MOST_STEPS = 6

/** The pods of a node; of none of them anything is known yet. */
export function meshReconciler(options: PodsInMeshOptions): MeshReconciler {
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
  /** Each change of a pod is counted: to look at all pods for it takes the longer the more there are. */
  const counted = { enrolled: 0, pending: 0, notCaptured: 0 }
  const count = (state: PodState): void => {
    for (const kind of state.counted) counted[kind] -= 1
    state.counted = states.get(state.uid) === state ? kindsOf(state) : []
    for (const kind of state.counted) counted[kind] += 1
    metrics.pods(counted.enrolled, counted.pending, counted.notCaptured)
  }
  const queue = podQueue({
    look,
    failed(uid, error, pauseMs) {
      const state = stateOf(uid)
      state.waits = printable(messageOf(error))
      const pod = seen.situationOf(uid)?.pod
      state.calm.failed(`a pod is not as it should be yet: ${state.waits}`, {
        pod: pod === undefined ? uid : podRef(pod),
        nextAttemptInMs: pauseMs,
      })
      count(state)
    },
    signal,
  })

  async function look(uid: string): Promise<void> {
    const state = stateOf(uid)
    for (let steps = 0; steps < MOST_STEPS && !signal.aborted; steps += 1) {
      const known = seen.situationOf(uid)
      if (known === undefined) return forget(uid, state)
      if (steps === 0) metrics.reconciled(known.deleted ? 'delete' : 'update')
      const step = nextStep({ ...known, reached: state.reached }, settings)
      const done = await take(step, known.pod, state)
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

  /** Whether nothing is left to do now. */
  async function take(step: EnrolmentStep, pod: AmbientPod, state: PodState): Promise<boolean> {
    if (step.step !== 'none') log.info(`${WORDS[step.step]}: ${step.why}`, { pod: podRef(pod) })
    switch (step.step) {
      case 'none':
        state.waits = step.waiting ? step.why : undefined
        return true
      case 'enrol':
        try {
          await enroller.enrol(pod, { addresses: step.addresses, reach: reachOf(state) })
        } catch (error) {
          if (!isEnrolmentError(error) || error.code !== 'IMPOSSIBLE') throw error
          // The next change of the pod, or the next round, is another occasion.
          state.waits = printable(error.message)
          state.calm.failed(state.waits, { pod: podRef(pod) })
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

  /** As it is when it is its turn. */
  async function enrolNow(uid: string, given: HandedPod, left: AbortSignal): Promise<void> {
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
      // What is left, or came meanwhile.
      queue.look(uid)
    }
  }

  return {
    look: queue.look,
    counts,
    idle: queue.idle,
    lookAtPending() {
      for (const [uid, { waits }] of states) if (waits !== undefined) queue.look(uid)
    },
    async enrol(given, left) {
      const pod = await soughtPod(given, seen, AbortSignal.any([left, signal]))
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
          const text = 'the rules in a pod were not as they should be, and are put right'
          log.warn(text, { pod: podRef(known.pod), drift: printable(drift.join('; ')) })
        } catch (error) {
          metrics.healFailed('pod')
          state.calm.failed(`the rules in a pod cannot be looked at: ${printable(messageOf(error))}`, {
            pod: podRef(known.pod),
          })
        }
      }),
    compare: namespaces === undefined ? async () => {} : podChecker({ namespaces, states, seen, queue, count, log }),
    enrolled: () => [...states].flatMap(([uid, { reached }]) => (reached === undefined ? [] : [uid])),
    waiting: () => named(({ waits }) => waits),
    astray: () => named(({ lost, waits }) => lost && [lost, waits].filter((part) => part !== undefined).join('; ')),
  }

  function named(whyOf: (state: PodState) => string | undefined): PodAndReason[] {
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

const WORDS: Readonly<Record<Exclude<EnrolmentStep['step'], 'none'>, string>> = {
  enrol: 'a pod is taken into the mesh',
  addresses: "a pod's addresses are written",
  annotate: "a pod's annotation is written",
  leave: 'a pod is taken out of the mesh',
}
