import { Duplex, PassThrough, Transform } from '../../stream/duplex.ts'
import { finished, pipeline as pipe, promises } from '../../stream/finished.ts'
import { Readable } from '../../stream/readable.ts'
import { type Done, Stream } from '../../stream/stream.ts'
import { Writable } from '../../stream/writable.ts'

export { Duplex, finished, PassThrough, promises, Readable, Stream, Transform, Writable }

/** Implements Node's `stream.pipeline(source, ...transforms, target, callback)`. */
export function pipeline(...args: readonly unknown[]): Stream {
  const callback = args.find((one): one is Done => typeof one === 'function')
  const streams = args.filter((one) => one instanceof Stream)
  return pipe(streams, callback ?? (() => {}))
}

/** The default export is the class Stream, because Node's `require('stream')` returns the class. */
export default Object.assign(Stream, {
  Duplex,
  finished,
  PassThrough,
  pipeline,
  promises,
  Readable,
  Stream,
  Transform,
  Writable,
})
