import { isObject } from '@cni/types'
import * as z from 'zod/mini'
import { KubeError } from '../kube-error.ts'
import { lineSplitter } from './line-splitter.ts'
import { type ListWatchOptions, type Observer, paused, selectors } from './list-watch-options.ts'
import { type State, worked } from './list-watch-state.ts'
import { maxObjectBytes, parse } from './object-text.ts'

/** Minimum duration of a watch in milliseconds. A watch that ends earlier counts as a failure. */
const shortestWatchMs = 1000
/** Default of `silenceMs`. The server itself ends each watch after at least 300 s. */
const SILENCE_MS = 330_000
/** Maximum random pause in milliseconds before a new watch, after the server has ended a watch early. */
const spreadMs = 1000

/** Watches the objects until the server ends the watch or is silent. */
export async function watch(options: ListWatchOptions, state: State): Promise<void> {
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
  // Waits for a random time, because a stopping server ends all watches at once.
  const isCut = lasted < state.watchSeconds * 1000 - shortestWatchMs
  if (isCut) await paused(options, Math.round(random() * spreadMs))
}

const statusSchema = z.object({ code: z.optional(z.number()) })

function event(line: string, path: string, observer: Observer, state: State): void {
  const event = parse(line)
  // Checks a watch event by hand. A schema would be slow, and a cluster sends many events.
  if (!isObject(event) || typeof event.type !== 'string') {
    throw new KubeError('BAD_ANSWER', `GET ${path}: the watch sent something that is not an event`)
  }
  const { type, object } = event
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
