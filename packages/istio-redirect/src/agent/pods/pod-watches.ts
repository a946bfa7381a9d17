import {
  type KubeClient,
  kubeClient,
  type ListWatchOptions,
  listWatch,
  type Observer,
  type ServiceAccount,
  serviceAccountAccess,
} from '@cni/kube'
import type { RequestReports } from '../shared/server-reach.ts'

/** Selection of the pods that a watch reports: node, field selectors and label selectors. */
export interface WatchedPods {
  readonly api: ServiceAccount
  /** Name of the node whose pods are watched. An empty name means the pods of all nodes. */
  readonly nodeName: string
  readonly fieldSelectors?: string
  readonly labelSelectors?: string
}

/** Watches of pods at the API server. Observers of the same pods share a watch. */
export interface PodWatches {
  /** Notifies the observer of all existing pods and changes until the AbortSignal aborts. */
  follow(pods: WatchedPods, observer: Observer, signal: AbortSignal): Promise<void>
}

/** Options of {@link podWatches}, the agent's watches of pods. */
export interface PodWatchesOptions extends Pick<ListWatchOptions, 'pause' | 'silenceMs'> {
  /** Tracks if the API server is reachable, from the results of the watches' requests. */
  readonly reach?: RequestReports
}

/** Creates the pod watches. A watch starts when its first observer joins. */
export function podWatches({ reach, ...watchOptions }: PodWatchesOptions = {}): PodWatches {
  const shared = new Map<string, SharedWatch>()
  return {
    async follow(pods, observer, signal) {
      if (signal.aborted) return
      const what = { ...listed(pods), ...watchOptions }
      const key = JSON.stringify([what, pods.api])
      const watch = shared.get(key) ?? sharedWatch(pods.api, what, reach)
      shared.set(key, watch)
      try {
        await watch.subscribe(observer, signal)
      } finally {
        if (watch.isUnused() && shared.get(key) === watch) shared.delete(key)
      }
      await watch.ended()
    },
  }
}

type ListOptions = Omit<ListWatchOptions, 'connect' | 'observer' | 'signal'>

/** Omits an empty node name, because `spec.nodeName=` selects pods without a node. */
const listed = ({ nodeName, fieldSelectors = '', labelSelectors = '' }: WatchedPods): ListOptions => ({
  path: '/api/v1/pods',
  fieldSelector: [fieldSelectors, nodeName === '' ? '' : `spec.nodeName=${nodeName}`].filter(Boolean).join(','),
  labelSelector: labelSelectors,
  paged: nodeName === '',
})

interface SharedWatch {
  subscribe(observer: Observer, signal: AbortSignal): Promise<void>
  isUnused(): boolean
  /** Resolves when the API request of the watch has ended. Resolves at once while the watch has observers. */
  ended(): Promise<void>
}

type Unsubscribe = (problem?: { readonly error: unknown }) => void

function sharedWatch(api: ServiceAccount, what: ListOptions, reach: PodWatchesOptions['reach']): SharedWatch {
  const observers = new Map<Observer, Unsubscribe>()
  const connect = (): KubeClient => kubeClient(serviceAccountAccess(api), { userAgent: 'install-cni' })
  let running: AbortController | undefined
  let done = Promise.resolve()
  /** True until the list request has delivered its first pod. An observer that joins earlier misses no pod. */
  let isUndelivered = false

  const notify = (observer: Observer, what: (observer: Observer) => void): void => {
    try {
      what(observer)
    } catch (error) {
      // An observer that throws an error is removed. Other observers of the watch stay.
      observers.get(observer)?.({ error })
    }
  }

  return {
    subscribe(observer, signal) {
      return new Promise((resolve, reject) => {
        const onAbort = (): void => unsubscribe()
        const unsubscribe: Unsubscribe = (problem) => {
          signal.removeEventListener('abort', onAbort)
          observers.delete(observer)
          if (observers.size === 0) end()
          if (problem === undefined) resolve()
          else reject(problem.error)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        observers.set(observer, unsubscribe)
        if (running !== undefined && isUndelivered) notify(observer, (one) => one.listing())
        else begin()
      })
    },
    isUnused: () => observers.size === 0,
    ended: async () => (observers.size === 0 ? done : undefined),
  }

  function end(): void {
    running?.abort()
    running = undefined
  }

  /** Requests the list of pods again for a new observer, because the watch does not store the pods. */
  function begin(): void {
    end()
    const stop = new AbortController()
    const { signal } = stop
    running = stop
    isUndelivered = true
    done = listWatch({ ...what, connect, signal, observer: toAll(signal) }).catch((error: unknown) => {
      if (signal.aborted) return
      for (const unsubscribe of [...observers.values()]) unsubscribe({ error })
    })
  }

  /**
   * Creates the observer of one list request. The observer ignores events after the abort, because a newer request
   * runs.
   */
  function toAll(signal: AbortSignal): Observer {
    const all = (what: (observer: Observer) => void, isUndeliveredNow = isUndelivered): void => {
      if (signal.aborted) return
      isUndelivered = isUndeliveredNow
      for (const observer of [...observers.keys()]) notify(observer, what)
    }
    return {
      listing: () => all((one) => one.listing(), true),
      present: (object) => all((one) => one.present(object), false),
      listed() {
        all((one) => one.listed(), false)
        reach?.answered()
      },
      gone: (object) => all((one) => one.gone(object)),
      alive() {
        all((one) => one.alive?.())
        reach?.answered()
      },
      failed(error, pauseMs) {
        all((one) => one.failed(error, pauseMs))
        reach?.failed(error)
      },
    }
  }
}
