import { type AmbientPod, podRef } from '@cni/istio-rules'
import { messageOf, printable } from '@cni/types'
import { throttledLog } from '../../log/throttled-log.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import type { CheckedPod, NamespaceCheck, NamespaceFinding } from '../namespace/namespace-check.ts'
import { workloadOf } from './enroller.ts'
import type { PodQueue } from './pod-queue.ts'
import { foundAgain, type PodState } from './pod-state.ts'
import type { PodStore } from './pod-store.ts'

/** Options of {@link podChecker}, the check of the network namespaces of enrolled pods. */
export interface PodCheckerOptions {
  readonly namespaces: NamespaceCheck
  readonly states: ReadonlyMap<string, PodState>
  readonly seen: PodStore
  readonly queue: PodQueue
  readonly count: (state: PodState) => void
  readonly log: ScopedLog
}

/** Creates a check that enrols pods again after their network namespace has changed. Never rejects. */
export function podChecker(options: PodCheckerOptions): () => Promise<void> {
  const { namespaces, states, seen, queue, count, log } = options
  const throttled = throttledLog(log, 'the namespaces of pods are checked again')

  const settle = async (uid: string, finding: NamespaceFinding): Promise<void> => {
    const state = states.get(uid)
    const known = seen.situationOf(uid)
    if (state?.reached === undefined || known === undefined || known.deleted) {
      if (finding.is === 'replaced') finding.netns.close()
      return
    }
    if (finding.is === 'held') foundAgain(state)
    else if (finding.is === 'lost') lose(state, finding, known.pod)
    else if (namespaces.replace(uid, workloadOf(known.pod), finding)) {
      state.lost = 'it is in another namespace than the enrolled one'
      state.reached = { ...state.reached, status: 'pending' }
      const what = finding.before === undefined ? 'found' : 'replaced'
      log.warn(`the namespace of an enrolled pod was ${what}: enrolling the pod in it`, {
        pod: podRef(known.pod),
        netns: printable(finding.netns.path),
      })
      queue.enqueue(uid)
    }
    count(state)
  }

  const lose = (
    state: PodState,
    { why, isSure }: NamespaceFinding & { readonly is: 'lost' },
    pod: AmbientPod,
  ): void => {
    // Ignores the first check that finds no trace of a pod: an ending pod's processes disappear early.
    if (!isSure && !state.unseen) {
      state.unseen = true
      return
    }
    state.lost = printable(why)
    state.throttled.failed(`a pod is enrolled and not captured: ${state.lost}. ${REMEDY}`, { pod: podRef(pod) })
  }

  return async () => {
    try {
      const checked: CheckedPod[] = []
      for (const { uid, reached } of states.values()) {
        const known = seen.situationOf(uid)
        if (reached === undefined || known === undefined || known.deleted || known.pod.completed) continue
        const { addresses } = known.pod
        checked.push({ uid, addresses: addresses.length > 0 ? addresses : reached.addresses })
      }
      const findings = checked.length === 0 ? [] : await namespaces.check(checked)
      for (const [uid, finding] of findings) {
        const state = states.get(uid)
        // Skips a pod whose namespace is unchanged, which is the usual case.
        if (finding.is === 'held' && state?.lost === undefined && state?.unseen !== true) continue
        void queue
          .run(uid, () => settle(uid, finding))
          .catch(() => {
            // The queue rejects the work because the agent is stopping. Closes the unused namespace.
            if (finding.is === 'replaced') finding.netns.close()
          })
      }
      throttled.worked()
    } catch (error) {
      throttled.failed(`cannot check the namespaces of pods: ${printable(messageOf(error))}`)
    }
  }
}

// internal

const REMEDY =
  'Its traffic may bypass the mesh. Check that the agent has /proc and /run/netns of the node (cniNetnsDir of the chart). If the pod stays uncaptured, delete it: its replacement is enrolled when it starts'
