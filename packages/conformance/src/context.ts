import type { JsonObject } from '@cni/types'
import type { AttachedPod } from './attached-pod.ts'
import type { ExchangeRequest } from './exchange/exchange.ts'
import type { Exchange } from './model.ts'
import type { World } from './world/world.ts'

/** Tools and facts for a check. */
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
  /** Creates a pod. It is removed after the check. */
  attach(version?: string): Promise<AttachedPod>
  /** A default ADD, followed by DEL. It runs once for all checks. */
  plainAdd(): Promise<Exchange>
  /** Result of the default ADD. If it has no result, the check is blocked and this is `undefined`. */
  working(): Promise<Working | undefined>
  violation(summary: string, why: string, exchange?: Exchange): void
  advice(summary: string, why: string, exchange?: Exchange): void
  note(text: string): void
  /** Skips the check: its rule does not apply to this plugin. */
  skip(reason: string): void
  /** Blocks the check: its rule applies but cannot be checked. The run is then incomplete. */
  block(reason: string): void
}

/** The default ADD that succeeded. */
export interface Working {
  readonly exchange: Exchange
  /** First JSON object on stdout. */
  readonly result: JsonObject
}
