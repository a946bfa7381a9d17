import { Netns, type NetnsTarget } from './netns.ts'
import { NetnsError } from './netns-error.ts'

/** Context that contains a namespace. The contexts of `@cni/skel` fit. */
export interface NetnsContext {
  readonly netns?: NetnsTarget | undefined
  /** Signal of the call. When it aborts, running programs are killed and changes are rolled back. */
  readonly signal?: AbortSignal | undefined
  /** Registers an undo step, which runs if a later step fails. */
  undo?(fn: () => unknown): void
  /** Receiver of log lines. The `log` of every plugin context fits. */
  readonly log?:
    | {
        debug(message: string, fields?: Record<string, unknown>): void
        warn(message: string, fields?: Record<string, unknown>): void
      }
    | undefined
}

/** Namespace to work in: an open one, `'host'`, or a context that contains one. */
export type Where = NetnsTarget | NetnsContext

/** Context whose namespace is present. */
export interface Place extends NetnsContext {
  readonly netns: NetnsTarget
}

/**
 * Extracts the namespace from a context. A missing namespace throws `NetnsError('MISSING')` and never means the node.
 * `caller` is the beginning of the error message.
 */
export function placeOf(where: Where, caller: string): Place {
  if (where === 'host' || isNetns(where)) return { netns: where }
  const netns: unknown = typeof where === 'object' && where !== null ? where.netns : undefined
  if (netns === 'host' || isNetns(netns)) {
    return {
      netns,
      signal: where.signal,
      log: where.log,
      ...(where.undo === undefined ? undefined : { undo: (fn: () => unknown) => where.undo?.(fn) }),
    }
  }
  throw new NetnsError('MISSING', `${caller}: no network namespace given; pass an open one, or 'host' for the node's`)
}

/** Checks the members of the object as well as its class. A bundle may contain two copies of the class `Netns`. */
function isNetns(value: unknown): value is Netns {
  return value instanceof Netns || (typeof value === 'object' && value !== null && 'ino' in value && 'fd' in value)
}
