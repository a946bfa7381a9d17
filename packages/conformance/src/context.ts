import type { JsonObject } from '@cni/types'
import type { Attachment } from './attachment.ts'
import type { Exchange } from './model.ts'
import type { World } from './world/world.ts'
import type { Streams } from './world/wrapper.ts'

/** One execution to make. */
export interface Execution {
  /** Added to what every execution gets (`PATH`); a member that is `undefined` is left out. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** An object is written as JSON. */
  readonly stdin?: string | Uint8Array | JsonObject
  readonly streams?: Streams
  /** What is special about it, for the report. */
  readonly special?: string
  /** Called when the process has become the plugin. */
  onStarted?(kill: (signal: NodeJS.Signals) => void): Promise<void>
  /** Default: the run's. */
  readonly timeout?: number
}

/** What a check works with. */
export interface Context {
  readonly chained: boolean
  /** Milliseconds an execution may take. */
  readonly timeout: number
  /** What VERSION claims; `undefined` when it could not be read. */
  readonly supportedVersions: readonly string[] | undefined
  /** The newest version both sides know. */
  readonly version: string
  /** A configuration was given: the plugin has to work with it. */
  readonly configured: boolean
  readonly world: World
  /** Every execution of the run so far. */
  readonly exchanges: readonly Exchange[]
  execute(execution: Execution): Promise<Exchange>
  /** A fresh pod and the verbs for it; removed after the check. */
  attachment(version?: string): Promise<Attachment>
  /** The outcome of a plain ADD. When it failed the check counts as skipped and this is `undefined`. */
  working(): Promise<Working | undefined>
  violation(summary: string, why: string, exchange?: Exchange): void
  advice(summary: string, why: string, exchange?: Exchange): void
  note(text: string): void
  skip(reason: string): void
}

/** A plain ADD. */
export interface Working {
  readonly exchange: Exchange
  /** The first JSON object it printed. */
  readonly result: JsonObject
}
