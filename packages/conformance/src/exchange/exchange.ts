import type { JsonObject } from '@cni/types'
import type { Streams } from '../world/wrapper.ts'

/** A request of a check to execute the plugin once. */
export interface ExchangeRequest {
  /** Environment variables of the plugin besides `PATH`. A variable with the value `undefined` is not set. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Content of the plugin's stdin. An object is encoded as JSON. */
  readonly stdin?: string | Uint8Array | JsonObject
  readonly streams?: Streams
  /** Description of the plugin's unusual streams, for the report. Example: `stdin stays open`. */
  readonly special?: string
  /** Called as soon as the plugin runs. `runs` returns false after the plugin has ended. */
  onStarted?(kill: (signal: NodeJS.Signals) => void, runs: () => boolean): Promise<void>
  /** Time limit of this plugin call in milliseconds. Default: the suite's limit. */
  readonly timeout?: number
}
