import { setTimeout as delay } from 'node:timers/promises'
import { isObject } from '@cni/types'
import * as z from 'zod/mini'
import type { KubeClient } from '../client/client.ts'
import { isKubeError, KubeError } from '../kube-error.ts'
import { backoffMs } from './backoff.ts'
import { itemSplitter } from './item-splitter.ts'
import { lineSplitter } from './line-splitter.ts'

/** Callbacks that receive the objects and the state of a {@link listWatch}. The objects are not validated. */
export interface Observer {
  /**
   * Called when a new list of all objects begins. An object no longer exists if `present` is not called for it before
   * {@link Observer.listed}.
   */
  listing(): void
  /**
   * Called for each object of a list, and for each new or changed object of a watch. Gets `undefined` for an object
   * whose JSON text is invalid or too large.
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
   * Replaces the random number in tests: a number from 0 to 1 that spreads the requests of many clients. Default:
   * `Math.random`.
   */
  readonly random?: () => number
  /**
   * Milliseconds without an event or a bookmark after which a new watch replaces the silent watch. Default: 330 000.
   * Silence is not an error: if no object changes, a server may send no event and no bookmark.
   */
  readonly silenceMs?: number
}

/**
 * Lists the objects, then watches them, until the signal aborts. Repeats requests after lost or silent connections,
 * expired versions (status 410) and refusals, with growing pauses. Keeps no object in memory.
 */
export async function listWatch(options: ListWatchOptions): Promise<void> {
  const { observer, signal, random = Math.random } = options
  const watchSeconds = Math.round(300 + random() * 300)
  const state: State = {
    ...{ version: undefined, next: 'list', limit: pageSize, watchSeconds },
    ...{ failures: 0, expirations: 0 },
  }
  while (!signal.aborted) {
    try {
      if (state.next !== 'watch') await list(options, state)
      await watch(options, state)
    } catch (error) {
      if (signal.aborted) return
      if (!isKubeError(error)) throw error
      if (error.code === 'STATUS') refused(error.status, state)
      // After an invalid watch event, requests a new list: the watch's later events are lost, and only a list reports
      // the current objects.
      if (error.code === 'BAD_ANSWER' && state.next === 'watch') state.next = 'list'
      state.failures += 1
      const ms = backoffMs(error, state.failures, random())
      observer.failed(error, ms)
      await paused(options, ms)
    }
  }
}

/** Waits before the next request until the pause ends or the signal aborts. The caller checks the signal. */
async function paused({ signal, pause = (ms) => delay(ms, undefined, { signal }) }: ListWatchOptions, ms: number) {
  await pause(ms, signal).catch(() => {})
}

interface State {
  /** Latest `resourceVersion` that the API server sent. `undefined` before the first list. */
  version: string | undefined
  /**
   * Next request to the API server. `list` reads from the server's watch cache, `list latest` from etcd. For
   * `list latest` with a field selector, the server reads the objects of the whole cluster from etcd.
   */
  next: 'list' | 'list latest' | 'watch'
  /** Maximum number of objects to request in one page of a list. Reduced after a page that was too large. */
  limit: number
  failures: number
  /** Number of answers with status 410 (version expired) since the last successful watch. */
  expirations: number
  /**
   * Seconds after which the server ends a watch. The number is random, so that the watches of the nodes end at
   * different times. It is constant in this process, so that the text of a repeated error does not change.
   */
  readonly watchSeconds: number
}

/** Chooses the next request after the API server has refused a list or watch with an HTTP status. */
function refused(status: number | undefined, state: State): void {
  // Requests the next list from etcd, as client-go does. Reason: the API server's cache has not reached the requested
  // version, or has dropped it.
  if (state.next === 'list' && (status === 410 || status === 504)) state.next = 'list latest'
  if (status !== 410) return
  if (state.next === 'watch') state.next = 'list'
  // Forgets earlier failures, because a server that answers 410 is available. Only repeated 410 answers make the pause
  // longer.
  state.failures = state.expirations
  state.expirations += 1
}

function worked(state: State): void {
  state.failures = 0
  state.expirations = 0
}

const listSchema = z.object({ metadata: z.object({ resourceVersion: z.string(), continue: z.optional(z.string()) }) })

async function list(options: ListWatchOptions, state: State): Promise<void> {
  const { observer, path, paged } = options
  observer.listing()
  // Requests a list with a version and without a limit, because kube-apiserver answers such a request from its cache.
  // This limits the server's load after its restart, when all nodes request a list at once.
  const fromCache = !paged && state.next === 'list' && state.limit === pageSize
  const until = performance.now() + maxListMs
  const seen: Seen = { pages: 0, objects: 0 }
  let next: string | undefined
  do {
    if (seen.pages > fastPages) await paused(options, pageMs)
    const query = new URLSearchParams(selectors(options))
    if (next !== undefined || !fromCache || state.version === undefined) query.set('limit', String(state.limit))
    if (next !== undefined) query.set('continue', next)
    else if (fromCache) query.set('resourceVersion', state.version ?? '0')
    const { metadata } = await page(options, query, state, seen)
    if (metadata.continue !== undefined && metadata.continue === next) {
      throw new KubeError('BAD_ANSWER', `GET ${path}: two pages of the list have the same "continue"`)
    }
    next = metadata.continue || undefined
    if (next === undefined) state.version = metadata.resourceVersion
    seen.pages += 1
    if (next !== undefined && (seen.pages >= maxPages || seen.objects > maxObjects || performance.now() > until)) {
      const read = `${seen.pages} pages with ${seen.objects} objects`
      throw new KubeError('BAD_ANSWER', `GET ${path}: the list has no end: gave up after ${read}`)
    }
  } while (next !== undefined)
  state.next = 'watch'
  observer.listed()
}

/** Numbers of pages and objects of a list that were read so far. */
interface Seen {
  pages: number
  objects: number
}

/** Reads one page of a list. Parses the page's objects one by one, so that only one is in memory. */
async function page(options: ListWatchOptions, query: URLSearchParams, state: State, seen: Seen) {
  const { connect, path, observer, signal } = options
  const url = `${path}?${query}`
  const splitter = itemSplitter({
    maxItemBytes: maxObjectBytes,
    onItem(text) {
      seen.objects += 1
      observer.present(parse(text))
    },
    onTooLong: () => observer.present(undefined),
  })
  let bytes = 0
  await connect().send(
    {
      method: 'GET',
      path: url,
      timeoutMs: 60_000,
      onData(chunk) {
        bytes += chunk.length
        if (bytes > maxPageBytes) {
          state.limit = Math.max(1, Math.floor(state.limit / 4))
          throw new KubeError('BAD_ANSWER', `GET ${url}: the answer is larger than ${maxPageBytes} bytes`)
        }
        splitter.take(chunk)
        if (splitter.isNoList()) {
          throw new KubeError('BAD_ANSWER', `GET ${path}: the answer is not a list: most of it are no items`)
        }
      },
    },
    { signal },
  )
  const parsed = listSchema.safeParse(parse(splitter.end()))
  if (!parsed.success) throw new KubeError('BAD_ANSWER', `GET ${path}: the answer is not a list`)
  return parsed.data
}

async function watch(options: ListWatchOptions, state: State): Promise<void> {
  const { connect, path, observer, signal, random = Math.random, silenceMs = SILENCE_MS } = options
  const query = new URLSearchParams({
    ...selectors(options),
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: state.version ?? '',
    timeoutSeconds: String(state.watchSeconds),
  })
  const began = performance.now()
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceMs)
  timer.unref()
  const take = lineSplitter(maxObjectBytes, (line) => event(line, path, observer, state))
  try {
    await connect().send(
      {
        method: 'GET',
        path: `${path}?${query}`,
        timeoutMs: (state.watchSeconds + 30) * 1000,
        onData(chunk) {
          timer.refresh()
          take(chunk)
        },
      },
      { signal: AbortSignal.any([signal, silence.signal]) },
    )
  } catch (error) {
    if (silence.signal.aborted && !signal.aborted) return
    throw error
  } finally {
    clearTimeout(timer)
  }
  if (signal.aborted) return
  const lasted = performance.now() - began
  if (lasted <= shortestWatchMs) throw new KubeError('BAD_ANSWER', `GET ${path}: the watch ended as soon as it began`)
  worked(state)
  // Waits for a random time if the server has ended the watch early. Reason: a server that stops ends the watches of
  // all clients at once. The pause spreads their new requests.
  const isCut = lasted < state.watchSeconds * 1000 - shortestWatchMs
  if (isCut) await paused(options, Math.round(random() * spreadMs))
}

const statusSchema = z.object({ code: z.optional(z.number()) })

function event(line: string, path: string, observer: Observer, state: State): void {
  const told = parse(line)
  // Checks a watch event by hand. A schema would be slow, and a cluster sends many events.
  if (!isObject(told) || typeof told.type !== 'string') {
    throw new KubeError('BAD_ANSWER', `GET ${path}: the watch sent something that is not an event`)
  }
  const { type, object } = told
  const version = versionOf(object)
  if (type === 'ERROR') {
    const { code = 500 } = statusSchema.safeParse(object).data ?? {}
    if (code !== 410) state.next = 'list'
    throw new KubeError('STATUS', `GET ${path}: the watch ended with ${code}`, { status: code })
  }
  if (type === 'ADDED' || type === 'MODIFIED') observer.present(object)
  if (type === 'DELETED') observer.gone(object)
  if (version !== undefined) state.version = version
  worked(state)
  observer.alive?.()
}

function versionOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? object.metadata : undefined
  const version = isObject(metadata) ? metadata.resourceVersion : undefined
  return typeof version === 'string' ? version : undefined
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // The calling function reports the invalid JSON text.
  }
}

const selectors = ({ fieldSelector, labelSelector }: Pick<ListWatchOptions, 'fieldSelector' | 'labelSelector'>) => ({
  ...(fieldSelector ? { fieldSelector } : {}),
  ...(labelSelector ? { labelSelector } : {}),
})

/**
 * Maximum size of an object in bytes. For a larger object in a list, the observer gets `undefined`. A larger object in
 * a watch ends the watch. etcd refuses objects above 1.5 MiB.
 */
const maxObjectBytes = 2 * 1024 * 1024
/** Number of objects that a list request asks for in one page. */
const pageSize = 500
/** Maximum size of a list's page in bytes. */
const maxPageBytes = 64 * 1024 * 1024
/** Limits of one list: pages, objects and milliseconds. A list that exceeds one of these limits fails. */
const maxPages = 1000
const maxObjects = 200_000
const maxListMs = 300_000
/** Number of a list's first pages that are requested without a pause. Later pages follow after `pageMs` each. */
const fastPages = 20
const pageMs = 100
/** Minimum duration of a watch in milliseconds. A watch that ends earlier counts as a failure. */
const shortestWatchMs = 1000
/**
 * Default of the option `silenceMs`. The server itself ends a watch after a random time of at least 300 s. Consequence:
 * in some cases, the server ends a silent watch before this limit.
 */
const SILENCE_MS = 330_000
/** Maximum random pause in milliseconds before a new watch, after the server has ended a watch early. */
const spreadMs = 1000
