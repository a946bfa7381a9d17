import { coded } from '../errors.ts'
import type { ReadSide } from './read-side.ts'

/** Iterates over the chunks of a readable stream. Destroys the stream at the end of the loop. */
export async function* chunksOf(stream: ReadSide): AsyncGenerator {
  let wake = (): void => {}
  const onEvent = (): void => wake()
  const events = ['readable', 'end', 'error', 'close']
  for (const name of events) stream.on(name, onEvent)
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const chunk = stream.destroyed ? null : stream.read()
      if (chunk !== null) {
        yield chunk
        continue
      }
      if (stream.errored !== null) throw stream.errored
      if (stream.readableEnded) return
      if (stream.closed) throw coded(new Error('Premature close'), 'ERR_STREAM_PREMATURE_CLOSE')
      await woken
    }
  } finally {
    for (const name of events) if (name !== 'error') stream.off(name, onEvent)
    stream.destroy()
  }
}
