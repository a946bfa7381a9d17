import {
  type KubeClient,
  kubeClient,
  type ListWatchOptions,
  listWatch,
  type Observer,
  type ServiceAccount,
  serviceAccountAccess,
} from '@cni/kube'
import type { RequestReports } from '../part/server-reach.ts'

/** Which pods somebody wants to be told of. */
export interface WatchedPods {
  readonly api: ServiceAccount
  /** Empty: the pods of all nodes. */
  readonly nodeName: string
  readonly fieldSelectors?: string
  readonly labelSelectors?: string
}

/** Watches of pods: those who want the same pods share one. */
export interface PodWatches {
  /**
   * Tells the observer of the pods until the signal, whatever the API server does: first of all that there are, then of
   * each change. Rejects with what the observer throws, which then is told of nothing more.
   */
  follow(pods: WatchedPods, observer: Observer, signal: AbortSignal): Promise<void>
}

/** Settings of {@link podWatches}. */
export interface PodWatchesOptions extends Pick<ListWatchOptions, 'pause' | 'silenceMs'> {
  /** Told of what becomes of the requests. */
  readonly reach?: RequestReports
}

/** No pod is watched until somebody follows. */
export function podWatches({ reach, ...around }: PodWatchesOptions = {}): PodWatches {
  const shared = new Map<string, SharedWatch>()
  return {
    async follow(pods, observer, signal) {
      if (signal.aborted) return
      const what = { ...listed(pods), ...around }
      const key = JSON.stringify([what, pods.api])
      const watch = shared.get(key) ?? sharedWatch(pods.api, what, reach)
      shared.set(key, watch)
      try {
        await watch.join(observer, signal)
      } finally {
        if (watch.isLeft() && shared.get(key) === watch) shared.delete(key)
      }
      await watch.ended()
    },
  }
}

type What = Omit<ListWatchOptions, 'connect' | 'observer' | 'signal'>

/** Without a node the term is left out: `spec.nodeName=` would choose the pods that are on none. */
const listed = ({ nodeName, fieldSelectors = '', labelSelectors = '' }: WatchedPods): What => ({
  path: '/api/v1/pods',
  fieldSelector: [fieldSelectors, nodeName === '' ? '' : `spec.nodeName=${nodeName}`].filter(Boolean).join(','),
  labelSelector: labelSelectors,
  paged: nodeName === '',
})

interface SharedWatch {
  join(observer: Observer, signal: AbortSignal): Promise<void>
  isLeft(): boolean
  /** Settles when nothing runs any more; at once while somebody is there. */
  ended(): Promise<void>
}

type Leave = (problem?: { readonly error: unknown }) => void

function sharedWatch(api: ServiceAccount, what: What, reach: PodWatchesOptions['reach']): SharedWatch {
  const members = new Map<Observer, Leave>()
  const connect = (): KubeClient => kubeClient(serviceAccountAccess(api), { userAgent: 'install-cni' })
  let running: AbortController | undefined
  let done = Promise.resolve()
  /** Whoever comes now has missed nothing of the list. */
  let isUntold = false

  const tell = (observer: Observer, what: (observer: Observer) => void): void => {
    try {
      what(observer)
    } catch (error) {
      // It is the only one who is told no more.
      members.get(observer)?.({ error })
    }
  }

  return {
    join(observer, signal) {
      return new Promise((resolve, reject) => {
        const onAbort = (): void => leave()
        const leave: Leave = (problem) => {
          signal.removeEventListener('abort', onAbort)
          members.delete(observer)
          if (members.size === 0) end()
          if (problem === undefined) resolve()
          else reject(problem.error)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        members.set(observer, leave)
        if (running !== undefined && isUntold) tell(observer, (one) => one.listing())
        else begin()
      })
    },
    isLeft: () => members.size === 0,
    ended: async () => (members.size === 0 ? done : undefined),
  }

  function end(): void {
    running?.abort()
    running = undefined
  }

  /** No object is kept here: only another list can tell somebody who comes later what there is. */
  function begin(): void {
    end()
    const stop = new AbortController()
    const { signal } = stop
    running = stop
    isUntold = true
    done = listWatch({ ...what, connect, signal, observer: toAll(signal) }).catch((error: unknown) => {
      if (signal.aborted) return
      for (const leave of [...members.values()]) leave({ error })
    })
  }

  /** What a former watch has still to say is said by the next one. */
  function toAll(signal: AbortSignal): Observer {
    const all = (what: (observer: Observer) => void, isUntoldNow = isUntold): void => {
      if (signal.aborted) return
      isUntold = isUntoldNow
      for (const observer of [...members.keys()]) tell(observer, what)
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
