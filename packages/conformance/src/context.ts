import type { JsonObject } from '@cni/types'
import type { AttachedPod } from './attached-pod.ts'
import type { ExchangeRequest } from './exchange/exchange.ts'
import type { Exchange } from './model.ts'
import type { World } from './world/world.ts'

/** What a check works with. */
export interface Context {
  readonly chained: boolean
  /** Milliseconds an execution may take. */
  readonly timeout: number
  /** What VERSION claims; `undefined` when it could not be read. */
  readonly supportedVersions: readonly string[] | undefined
  /** The version of configurations: the one asked for, else the newest both sides know. */
  readonly version: string
  readonly world: World
  /** Every execution of the run so far. */
  readonly exchanges: readonly Exchange[]
  execute(execution: ExchangeRequest): Promise<Exchange>
  /** A fresh pod and the verbs for it; removed after the check. */
  attach(version?: string): Promise<AttachedPod>
  /** A plain ADD, with DEL after it; made once in a run. */
  plainAdd(): Promise<Exchange>
  /** The outcome of the plain ADD. When it gave no result the check counts as blocked and this is `undefined`. */
  working(): Promise<Working | undefined>
  violation(summary: string, why: string, exchange?: Exchange): void
  advice(summary: string, why: string, exchange?: Exchange): void
  note(text: string): void
  /** The rule does not concern this plugin. */
  skip(reason: string): void
  /** The rule concerns this plugin and could not be checked: the run is incomplete. */
  block(reason: string): void
}

/** A plain ADD. */
export interface Working {
  readonly exchange: Exchange
  /** The first JSON object it printed. */
  readonly result: JsonObject
}
