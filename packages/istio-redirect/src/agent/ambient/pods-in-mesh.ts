import { messageOf } from '@cni/types'
import { printable } from '../../foreign-text.ts'
import type { PodIdentity } from '../../kube/pod-identity.ts'
import { calmLog } from '../log/calm-log.ts'
import type { ScopedLog } from '../services.ts'
import type { AmbientMetrics } from './ambient-metrics.ts'
import type { AmbientPod } from './ambient-pod.ts'
import { PENDING_SHOWN } from './ambient-status.ts'
import { type Enroller, nameOf } from './enroller.ts'
import { decideEnrolment, type EnrolmentSettings } from './enrolment.ts'
import { isEnrolmentError } from './enrolment-error.ts'
import { type EnrolmentStep, nextStep, type Reached } from './next-step.ts'
import { podQueue } from './pod-queue.ts'
import type { SeenPods } from './seen-pods.ts'

/** A pod that a plugin hands over. */
export interface HandedPod extends PodIdentity {
  /** Empty: of the pod that is known by that name. */
  readonly uid?: string | undefined
  readonly netns: string
  readonly addresses: readonly string[]
}

/** What {@link podsInMesh} works with. */
export interface PodsInMeshOptions {
  readonly seen: SeenPods
  readonly enroller: Enroller
  readonly settings: EnrolmentSettings
  readonly metrics: AmbientMetrics
  readonly log: ScopedLog
  readonly signal: AbortSignal
}

/** The pods of the node and how far each is; everything about one of them happens in its turn. */
export interface PodsInMesh {
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
  /** Those that are in the mesh. */
  enrolled(): string[]
  counts(): { readonly enrolled: number; readonly pending: number }
  /** The first of those that are not in and should be. */
  waiting(): { readonly pod: string; readonly why: string }[]
  idle(): Promise<void>
}

/** Steps that one look may take: more than any pod needs when each of them works. */
const MOST_STEPS = 6

/** The pods of a node; of none of them anything is known yet. */
export function podsInMesh(options: PodsInMeshOptions): PodsInMesh {
  const { seen, enroller, settings, metrics, log, signal } = options
  const states = new Map<string, State>()
  const stateOf = (uid: string): State => {
    const state = states.get(uid) ?? newState(uid, log)
    states.set(uid, state)
    return state
  }
  const counts = (): { readonly enrolled: number; readonly pending: number } => {
    const found = { enrolled: 0, pending: 0 }
    for (const state of states.values()) {
      const kind = kindOf(state)
      if (kind !== undefined) found[kind] += 1
    }
    return found
  }
  /** Each change of a pod is counted: to look at all pods for it takes the longer the more there are. */
  const counted = { enrolled: 0, pending: 0 }
  const count = (state: State): void => {
    const kind = states.get(state.uid) === state ? kindOf(state) : undefined
    if (state.counted !== undefined) counted[state.counted] -= 1
    if (kind !== undefined) counted[kind] += 1
    state.counted = kind
    metrics.pods(counted.enrolled, counted.pending)
  }
  const queue = podQueue({
    look,
    failed(uid, error, pauseMs) {
      const state = stateOf(uid)
      state.waits = printable(messageOf(error))
      const pod = seen.situationOf(uid)?.pod
      state.calm.failed(`a pod is not as it should be yet: ${state.waits}`, {
        pod: pod === undefined ? uid : nameOf(pod),
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

  function forget(uid: string, state: State): void {
    states.delete(uid)
    count(state)
  }

  /** Whether nothing is left to do now. */
  async function take(step: EnrolmentStep, pod: AmbientPod, state: State): Promise<boolean> {
    if (step.step !== 'none') log.info(`${WORDS[step.step]}: ${step.why}`, { pod: nameOf(pod) })
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
          state.calm.failed(state.waits, { pod: nameOf(pod) })
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
      const pod = await sought(given, seen, AbortSignal.any([left, signal]))
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
          log.warn(text, { pod: nameOf(known.pod), drift: printable(drift.join('; ')) })
        } catch (error) {
          metrics.healFailed('pod')
          state.calm.failed(`the rules in a pod cannot be looked at: ${printable(messageOf(error))}`, {
            pod: nameOf(known.pod),
          })
        }
      }),
    enrolled: () => [...states].flatMap(([uid, { reached }]) => (reached === undefined ? [] : [uid])),
    waiting() {
      const found: { pod: string; why: string }[] = []
      for (const [uid, { waits }] of states) {
        if (waits === undefined) continue
        const pod = seen.situationOf(uid)?.pod
        if (pod !== undefined) found.push({ pod: nameOf(pod), why: waits })
        if (found.length === PENDING_SHOWN) break
      }
      return found
    },
  }
}

// internal

interface State {
  readonly uid: string
  reached: Reached | undefined
  /** Why it is not as it should be. */
  waits: string | undefined
  /** As what it was counted last. */
  counted: Kind
  readonly calm: ReturnType<typeof calmLog>
}

type Kind = 'enrolled' | 'pending' | undefined

const newState = (uid: string, log: ScopedLog): State => ({
  uid,
  reached: undefined,
  waits: undefined,
  counted: undefined,
  calm: calmLog(log, ''),
})

function kindOf({ reached, waits }: State): Kind {
  if (waits !== undefined) return 'pending'
  return reached?.status === 'enabled' ? 'enrolled' : undefined
}

const reachOf = (state: State) => (reached: Reached) => {
  state.reached = reached
}

const WORDS: Readonly<Record<Exclude<EnrolmentStep['step'], 'none'>, string>> = {
  enrol: 'a pod is taken into the mesh',
  addresses: "a pod's addresses are written",
  annotate: "a pod's annotation is written",
  leave: 'a pod is taken out of the mesh',
}

/** A plugin may be faster than the watch. */
const LOOKS = 11
const LOOK_PAUSE_MS = 10

async function sought(given: HandedPod, seen: SeenPods, signal: AbortSignal): Promise<AmbientPod> {
  for (let looks = 1; ; looks += 1) {
    signal.throwIfAborted()
    const found = seen.find(given)
    const isRight = found !== undefined && (given.uid === undefined || given.uid === '' || given.uid === found.uid)
    if (isRight && seen.namespaceLabels(given.namespace) !== undefined) return found
    if (looks === LOOKS) throw isRight ? noNamespace(given) : notFound(given)
    await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
  }
}

const named = (pod: PodIdentity): string => printable(nameOf(pod))

const notFound = (pod: PodIdentity): Error =>
  new Error(`failed to get pod ${named(pod)}: failed to find pod ${named(pod)}`)

const noNamespace = (pod: PodIdentity): Error =>
  new Error(`failed to get pod ${named(pod)}: failed to find namespace ${printable(pod.namespace)}`)

const notEligible = (pod: PodIdentity): Error =>
  new Error(`pod ${named(pod)} is unexpectedly not eligible for ambient enrollment`)
