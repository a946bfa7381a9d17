import type { JsonObject } from '@cni/types'
import type { AttachedPod } from './attached-pod.ts'
import type { ExchangeRequest } from './exchange/exchange.ts'
import type { Exchange } from './model.ts'
import type { World } from './world/world.ts'

/** Functions and settings with which a check executes the plugin and reports findings. */
export interface Context {
  readonly chained: boolean
  /** Time limit of one plugin call in milliseconds. */
  readonly timeout: number
  /** CNI versions that the plugin's answer to VERSION lists. `undefined` if VERSION failed. */
  readonly supportedVersions: readonly string[] | undefined
  /** Requested `cniVersion`, else the newest version that both plugin and suite know. */
  readonly version: string
  readonly world: World
  /** All calls of the plugin since the start of the run. */
  readonly exchanges: readonly Exchange[]
  execute(execution: ExchangeRequest): Promise<Exchange>
  /** Creates a test pod. The suite removes the pod after the check. */
  attach(version?: string): Promise<AttachedPod>
  /** Runs an ADD and a DEL with default settings, once for all checks. Returns the ADD. */
  plainAdd(): Promise<Exchange>
  /** Returns the shared ADD with its result. Marks the check as blocked if there is no result. */
  working(): Promise<Working | undefined>
  violation(summary: string, why: string, exchange?: Exchange): void
  advice(summary: string, why: string, exchange?: Exchange): void
  note(text: string): void
  /** Marks the running check as skipped, because its rule does not apply to the plugin. */
  skip(reason: string): void
  /** Marks the running check as blocked: its rule applies to the plugin but cannot be tested. */
  block(reason: string): void
}

/** The successful ADD with default settings that all checks share, and its result. */
export interface Working {
  readonly exchange: Exchange
  /** Result of the ADD: the first JSON object on the plugin's stdout. */
  readonly result: JsonObject
}
