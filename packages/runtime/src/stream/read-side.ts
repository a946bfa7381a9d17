import type { EventEmitter } from '../events/emitter.ts'

/** Members of a readable stream that functions such as `pipe` use. */
export interface ReadSide extends EventEmitter {
  readonly destroyed: boolean
  readonly errored: Error | null
  readonly closed: boolean
  readonly readableEnded: boolean
  read(size?: number): unknown
  push(chunk: unknown): boolean
  pause(): unknown
  resume(): unknown
  destroy(error?: Error): unknown
}
