import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '../client/client.ts'
import type { KubeError } from '../kube-error.ts'

/** Callbacks that receive the objects and the state of a {@link listWatch}. The objects are not validated. */
export interface Observer {
  /** Called when a list begins. After {@link Observer.listed}, objects without a call of `present` no longer exist. */
  listing(): void
  /**
   * Called for each object of a list, and for each changed object. Gets `undefined` for an object whose JSON text is
   * invalid or too large.
   */
  present(object: unknown): void
  /** Called when a list is complete: `present` was called for all its objects. */
  listed(): void
  /** Called for an object that was deleted. */
  gone(object: unknown): void
  /** Called for each change or bookmark that the watch sends, after `present` or `gone`. */
  alive?(): void
  /** Called when a list or watch request has failed. `pauseMs` is the pause before the next request. */
  failed(error: KubeError, pauseMs: number): void
}

/** Options of {@link listWatch}, which lists and watches objects of the API server. */
export interface ListWatchOptions {
  /** Returns an API client with the current credentials. Called for each list or watch request. Throws `KubeError`. */
  readonly connect: () => KubeClient
  /** API path of the objects to list and watch, for example `/api/v1/pods`. */
  readonly path: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
  /** True to read lists in pages. Recommended if the API server has no index for the selectors. */
  readonly paged: boolean
  readonly observer: Observer
  readonly signal: AbortSignal
  /** Replaces the timer between two requests in tests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
  /**
   * Replaces the random number from 0 to 1 in tests. The number spreads the requests of many clients. Default:
   * `Math.random`.
   */
  readonly random?: () => number
  /**
   * Milliseconds without a message until a new watch replaces the silent watch. Default: 330 000. Silence is not an
   * error: a server may have nothing to report.
   */
  readonly silenceMs?: number
}

/** Waits before the next request until the pause ends or the signal aborts. The caller checks the signal. */
export async function paused(
  { signal, pause = (ms) => delay(ms, undefined, { signal }) }: ListWatchOptions,
  ms: number,
) {
  await pause(ms, signal).catch(() => {})
}

/** Returns the query parameters of the options' selectors. */
export const selectors = ({
  fieldSelector,
  labelSelector,
}: Pick<ListWatchOptions, 'fieldSelector' | 'labelSelector'>) => ({
  ...(fieldSelector ? { fieldSelector } : {}),
  ...(labelSelector ? { labelSelector } : {}),
})
