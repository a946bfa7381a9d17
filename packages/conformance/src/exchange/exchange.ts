import type { JsonObject } from '@cni/types'
import type { Streams } from '../world/wrapper.ts'

/** A request to execute the plugin. */
export interface ExchangeRequest {
  /** Variables besides `PATH`. `undefined` leaves a variable out. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Content of the plugin's stdin. An object is written as JSON. */
  readonly stdin?: string | Uint8Array | JsonObject
  readonly streams?: Streams
  /** Special condition of the execution, for the report. */
  readonly special?: string
  /** Called as soon as the process executes the plugin. `runs` returns false after the process has ended. */
  onStarted?(kill: (signal: NodeJS.Signals) => void, runs: () => boolean): Promise<void>
  /** Time limit in milliseconds. Default: the time limit of the whole run. */
  readonly timeout?: number
}
