import type { JsonObject } from '@cni/types'
import type { Streams } from '../world/wrapper.ts'

/** One execution to make. */
export interface ExchangeRequest {
  /** Added to what every execution gets (`PATH`); a member that is `undefined` is left out. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** An object is written as JSON. */
  readonly stdin?: string | Uint8Array | JsonObject
  readonly streams?: Streams
  /** What is special about it, for the report. */
  readonly special?: string
  /** Called when the process has become the plugin; `runs` says whether it still is. */
  onStarted?(kill: (signal: NodeJS.Signals) => void, runs: () => boolean): Promise<void>
  /** Default: the run's. */
  readonly timeout?: number
}
