import { setTimeout as delay } from 'node:timers/promises'
import { isObject } from '@cni/types'
import * as z from 'zod/mini'
import type { KubeClient } from '../client/client.ts'
import { isKubeError, KubeError } from '../kube-error.ts'
import { backoffMs } from './backoff.ts'
import { itemSplitter } from './item-splitter.ts'
import { lineSplitter } from './line-splitter.ts'

/** What becomes of the objects of a {@link listWatch}. They are as the server sent them. */
export interface Observer {
  /** A list begins: what is not told of before {@link Observer.listed} is gone. */
  listing(): void
  present(object: unknown): void
  /** Everything is known. */
  listed(): void
  gone(object: unknown): void
  /** The watch said something: a change, or a bookmark, which says that there was none. Told after the change itself. */
  alive?(): void
  /** It did not work and will be tried again after the pause. */
  failed(error: KubeError, pauseMs: number): void
}

/** What to watch, and how. */
export interface ListWatchOptions {
  /** Called for each request, so that every one has the credentials of its time. Throws `KubeError`. */
  readonly connect: () => KubeClient
  /** Such as `/api/v1/pods`. */
  readonly path: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
  /** Where the server cannot look objects up by an index, lists are read in pages. */
  readonly paged: boolean
  readonly observer: Observer
  readonly signal: AbortSignal
  /** For tests: how to wait before the next try. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** For tests: a number from 0 to 1 that spreads the requests of many clients. Default `Math.random`. */
  readonly random?: () => number
  /**
   * Renews a watch after so many milliseconds without an event or a bookmark. Default 330 000. A cluster in which no
   * object changes sends neither, so that silence is not an error.
   */
  readonly silenceMs?: number
}

/**
 * Lists, then watches, for ever: over cut and silent connections, expired versions (410) and refusals, with growing
 * pauses. Keeps no object. Settles when the signal is aborted.
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
      // The events of the answer are lost: only a list has the present objects.
      if (error.code === 'BAD_ANSWER' && state.next === 'watch') state.next = 'list'
      state.failures += 1
      const ms = backoffMs(error, state.failures, random())
      observer.failed(error, ms)
      await paused(options, ms)
    }
  }
}

/** The caller looks at the signal. */
async function paused({ signal, pause = (ms) => delay(ms, undefined, { signal }) }: ListWatchOptions, ms: number) {
  await pause(ms, signal).catch(() => {})
}

interface State {
  /** The latest version that the server sent. `undefined` before the first list. */
  version: string | undefined
  /**
   * The next request. `list` reads from the server's watch cache, `list latest` from etcd: for a field selector, etcd reads
   * the objects of the whole cluster.
   */
  next: 'list' | 'list latest' | 'watch'
  /** Objects on a page: fewer after a page was too large. */
  limit: number
  failures: number
  /** Answers of 410 since a watch last worked. */
  expirations: number
  /** How long a watch lasts: not the same on all nodes, and always the same here, so that a failure has the same words. */
  readonly watchSeconds: number
}

/** The server refused a request with a status. */
function refused(status: number | undefined, state: State): void {
  // The cache has not reached our version, or no longer has it. client-go reads from etcd then, too.
  if (state.next === 'list' && (status === 410 || status === 504)) state.next = 'list latest'
  if (status !== 410) return
  if (state.next === 'watch') state.next = 'list'
  // The server answers: the pauses of the outage are over. Only 410 after 410 waits longer.
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
  // With a version and without a limit, kube-apiserver answers from its cache. After its restart all nodes list at once.
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

/** What was read of a list so far. */
interface Seen {
  pages: number
  objects: number
}

/** Reads one page, object by object: only one of them is in memory. */
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
  // A server that stops ends the watches of all clients at the same moment.
  const isCut = lasted < state.watchSeconds * 1000 - shortestWatchMs
  if (isCut) await paused(options, Math.round(random() * spreadMs))
}

const statusSchema = z.object({ code: z.optional(z.number()) })

function event(line: string, path: string, observer: Observer, state: State): void {
  const told = parse(line)
  // Without a schema: of pods that come and go there are many.
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
    return undefined // reported as no event
  }
}

const selectors = ({ fieldSelector, labelSelector }: Pick<ListWatchOptions, 'fieldSelector' | 'labelSelector'>) => ({
  ...(fieldSelector ? { fieldSelector } : {}),
  ...(labelSelector ? { labelSelector } : {}),
})

/** etcd refuses objects above 1.5 MiB. A larger one is passed over in a list, and makes a watch begin anew. */
const maxObjectBytes = 2 * 1024 * 1024
/** Objects on a page, and the most bytes of one. */
const pageSize = 500
const maxPageBytes = 64 * 1024 * 1024
/** A list that goes on is given up after this. Pages after the first ones are asked for with pauses. */
const maxPages = 1000
const maxObjects = 200_000
const maxListMs = 300_000
const fastPages = 20
const pageMs = 100
const shortestWatchMs = 1000
/** Longer than the shortest watch (300 s): at rest a watch makes at most 0.2 requests a minute. */
const SILENCE_MS = 330_000
/** Clients whose watch was cut come back within this time. */
const spreadMs = 1000
