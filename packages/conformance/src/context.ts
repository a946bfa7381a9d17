import type { JsonObject } from '@cni/types'
import type { AttachedPod } from './attached-pod.ts'
import type { ExchangeRequest } from './exchange/exchange.ts'
import type { Exchange } from './model.ts'
import type { World } from './world/world.ts'

/** Functions and facts that the suite passes to each check. */
export interface Context {
  readonly chained: boolean
  /** Time limit of an execution in milliseconds. */
  readonly timeout: number
  /** Versions that VERSION claims. `undefined` if VERSION failed. */
  readonly supportedVersions: readonly string[] | undefined
  /** Version of configurations: the requested version, else the newest version that both plugin and suite know. */
  readonly version: string
  readonly world: World
  /** All executions of the run so far. */
  readonly exchanges: readonly Exchange[]
  execute(execution: ExchangeRequest): Promise<Exchange>
  /** Creates a pod. The suite removes the pod after the check. */
  attach(version?: string): Promise<AttachedPod>
  /** Executions of a default ADD and its DEL. They run once for all checks. */
  plainAdd(): Promise<Exchange>
  /** Result of the default ADD. If the ADD has no result, the check is blocked and the function returns `undefined`. */
  working(): Promise<Working | undefined>
  violation(summary: string, why: string, exchange?: Exchange): void
  advice(summary: string, why: string, exchange?: Exchange): void
  note(text: string): void
  /** Skips the check: its rule does not apply to this plugin. */
  skip(reason: string): void
  /** Blocks the check: its rule applies but cannot be checked. The run is then incomplete. */
  block(reason: string): void
}

/** Result of the default ADD that succeeded. */
export interface Working {
  readonly exchange: Exchange
  /** First JSON object on the plugin's stdout. */
  readonly result: JsonObject
}
