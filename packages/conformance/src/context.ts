import type { JsonObject } from '@cni/types'
import type { Attachment } from './attachment.ts'
import type { Exchange, Execution } from './execution.ts'
import type { World } from './world/world.ts'

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
