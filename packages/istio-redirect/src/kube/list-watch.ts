import { setTimeout as delay } from 'node:timers/promises'
import { isObject } from '@cni/types'
import * as z from 'zod/mini'
import type { KubeClient } from './client.ts'
import { isKubeError, KubeError } from './kube-error.ts'
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
  /** A watch that says nothing for so long is made anew; servers send a bookmark every minute. */
  readonly silenceMs?: number
}

/**
 * Lists, then watches, for ever: over cut and silent connections, expired versions (410) and refusals, with growing
 * pauses. Keeps no object. Settles when the signal is aborted.
 */
export async function listWatch(options: ListWatchOptions): Promise<void> {
  const { observer, signal, pause = (ms) => delay(ms, undefined, { signal }) } = options
  const watchSeconds = Math.round(300 + Math.random() * 300)
  const state: State = { version: undefined, expired: false, failures: 0, watchSeconds }
  while (!signal.aborted) {
    try {
      if (state.version === undefined) await list(options, state)
      await watch(options, state)
    } catch (error) {
      if (signal.aborted) return
      if (!isKubeError(error)) throw error
      if (error.code === 'STATUS' && error.status === 410) expire(state)
      // What was said is lost: only a list tells.
      if (error.code === 'BAD_ANSWER') state.version = undefined
      state.failures += 1
      const ms = pauseAfter(error, state.failures)
      observer.failed(error, ms)
      await pause(ms, signal).catch(() => {})
    }
  }
}

interface State {
  /** From where to go on watching; `undefined`: list first. */
  version: string | undefined
  /** The cache of the server is behind what we have seen: the next list has to be the latest. */
  expired: boolean
  failures: number
  /** How long a watch lasts: not the same on all nodes, and always the same here, so that a failure has the same words. */
  readonly watchSeconds: number
}

function expire(state: State): void {
  state.version = undefined
  state.expired = true
}

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.optional(z.string()) }),
  items: z.nullish(z.array(z.unknown())),
})

async function list({ connect, signal, observer, paged, ...what }: ListWatchOptions, state: State): Promise<void> {
  observer.listing()
  // From the cache of the server: after its restart all nodes ask at once.
  const fromCache = !paged && !state.expired
  let next: string | undefined
  do {
    const query = new URLSearchParams({ ...selectors(what), limit: '500' })
    if (fromCache) query.set('resourceVersion', '0')
    if (next !== undefined) query.set('continue', next)
    const document = await connect().send(
      { method: 'GET', path: `${what.path}?${query}`, timeoutMs: 60_000, maxBytes: maxListBytes },
      { signal },
    )
    const parsed = listSchema.safeParse(document)
    if (!parsed.success) throw new KubeError('BAD_ANSWER', `GET ${what.path}: the answer is not a list`)
    const { metadata, items } = parsed.data
    for (const item of items ?? []) observer.present(item)
    next = metadata.continue || undefined
    state.version = next === undefined ? metadata.resourceVersion : undefined
  } while (next !== undefined)
  state.expired = false
  state.failures = 0
  observer.listed()
}

async function watch(options: ListWatchOptions, state: State): Promise<void> {
  const { connect, path, observer, signal, silenceMs = 180_000, ...what } = options
  const query = new URLSearchParams({
    ...selectors(what),
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
    if (signal.aborted || !isKubeError(error) || error.code !== 'ABORTED') throw error
    throw new KubeError('TIMEOUT', `GET ${path}: the watch was silent for ${silenceMs / 1000} s`)
  } finally {
    clearTimeout(timer)
  }
  if (signal.aborted || performance.now() - began > shortestWatchMs) return
  throw new KubeError('BAD_ANSWER', `GET ${path}: the watch ended as soon as it began`)
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
    state.version = undefined
    throw new KubeError('STATUS', `GET ${path}: the watch ended with ${code}`, { status: code })
  }
  if (type === 'ADDED' || type === 'MODIFIED') observer.present(object)
  if (type === 'DELETED') observer.gone(object)
  if (version !== undefined) state.version = version
  state.failures = 0
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

/** 1 s, doubled up to 30 s, more if the server says so; never the same for all nodes. */
function pauseAfter({ retryAfterMs = 0 }: KubeError, failures: number): number {
  const growing = Math.min(1000 * 2 ** Math.min(failures - 1, 5), 30_000)
  return Math.max(Math.min(retryAfterMs, 60_000), Math.round(growing * (0.75 + Math.random() / 4)))
}

/** etcd refuses objects above 1.5 MiB. */
const maxObjectBytes = 4 * 1024 * 1024
const maxListBytes = 64 * 1024 * 1024
const shortestWatchMs = 1000
