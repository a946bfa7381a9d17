import type { EventEmitter } from '../events/emitter.ts'
import type { ReadSide } from './read-side.ts'

/** Stream that `pipe` writes data to. */
export interface PipeTarget extends EventEmitter {
  write(chunk: unknown): boolean
  end(): unknown
}

const pipes = new WeakMap<ReadSide, Map<PipeTarget, () => void>>()

/** Implements `pipe`: pauses the readable stream while the writable stream is full. */
export function pipe(source: ReadSide, target: PipeTarget, ends: boolean): void {
  const onData = (chunk: unknown): void => {
    if (!target.write(chunk)) source.pause()
  }
  const onDrain = (): void => void source.resume()
  const onEnd = (): void => void target.end()
  const onClose = (): void => unpipe(source, target)
  source.on('data', onData)
  target.on('drain', onDrain)
  target.once('close', onClose)
  if (ends) source.once('end', onEnd)
  const all = pipes.get(source) ?? new Map<PipeTarget, () => void>()
  all.set(target, () => {
    source.off('data', onData)
    source.off('end', onEnd)
    target.off('drain', onDrain)
    target.off('close', onClose)
  })
  pipes.set(source, all)
  target.emit('pipe', source)
}

export function unpipe(source: ReadSide, target?: PipeTarget): void {
  const all = pipes.get(source)
  for (const [one, stop] of [...(all ?? [])]) {
    if (target !== undefined && target !== one) continue
    stop()
    all?.delete(one)
    one.emit('unpipe', source)
  }
  if (all?.size === 0) source.pause()
}
