import { AbortError, coded } from '../errors.ts'
import { nextTick } from '../loop/ticks.ts'
import type { PipeTarget } from './pipe.ts'
import { Readable } from './readable.ts'
import type { Done, Stream } from './stream.ts'

type Parts = Stream & { readonly readableEnded?: boolean; readonly writableFinished?: boolean }

const premature = (): Error => coded(new Error('Premature close'), 'ERR_STREAM_PREMATURE_CLOSE')

const isDone = (stream: Parts): boolean => stream.readableEnded !== false && stream.writableFinished !== false

/** Calls back when a stream ends, fails or closes early. Returns a function that stops listening. */
export function finished(stream: Stream, callback: Done): () => void {
  let isOver = false
  const settle = (error?: Error | null): void => {
    if (isOver) return
    isOver = true
    stop()
    callback(error ?? undefined)
  }
  const onError = (error: Error): void => settle(error)
  const onHalf = (): void => {
    if (isDone(stream)) settle()
  }
  const onClose = (): void => settle(stream.errored ?? (isDone(stream) ? undefined : premature()))
  const listeners = { error: onError, end: onHalf, finish: onHalf, close: onClose }
  const stop = (): void => {
    for (const [name, listener] of Object.entries(listeners)) stream.off(name, listener)
  }
  for (const [name, listener] of Object.entries(listeners)) stream.on(name, listener)
  if (stream.closed) nextTick(onClose)
  return stop
}

const isTarget = (stream: Stream): stream is Stream & PipeTarget => 'write' in stream && 'end' in stream

/** Pipes each stream of a list into the next. An error of one stream destroys all streams. */
export function pipeline(streams: readonly Stream[], callback: Done): Stream {
  const last = streams.at(-1)
  if (last === undefined || streams.length < 2) {
    throw coded(new TypeError('The "streams" argument must be specified'), 'ERR_MISSING_ARGS')
  }
  let left = streams.length
  let failure: Error | undefined
  for (const stream of streams) {
    finished(stream, (error) => {
      failure ??= error ?? undefined
      if (error) for (const other of streams) other.destroy()
      if (--left === 0) callback(failure)
    })
  }
  for (const [index, stream] of streams.entries()) {
    const next = streams[index + 1]
    if (next !== undefined && stream instanceof Readable && isTarget(next)) stream.pipe(next)
  }
  return last
}

/** Functions `pipeline` and `finished` of `node:stream/promises`. */
export const promises = {
  finished: (stream: Stream): Promise<void> =>
    new Promise((resolve, reject) => {
      finished(stream, (error) => (error ? reject(error) : resolve()))
    }),
  pipeline(...given: readonly (Stream | { readonly signal?: AbortSignal })[]): Promise<void> {
    const streams = given.filter((one): one is Stream => 'destroyed' in one)
    const options = given.find((one) => 'signal' in one)
    return new Promise((resolve, reject) => {
      const last = pipeline(streams, (error) => (error ? reject(error) : resolve()))
      const signal = options !== undefined && 'signal' in options ? options.signal : undefined
      signal?.addEventListener('abort', () => last.destroy(new AbortError(signal.reason)), { once: true })
    })
  },
}
