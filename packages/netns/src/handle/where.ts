import { Netns, type NetnsTarget } from './netns.ts'
import { NetnsError } from './netns-error.ts'

/** Members that this package uses of a plugin call's context. The contexts of `@cni/skel` have these members. */
export interface NetnsContext {
  readonly netns?: NetnsTarget | undefined
  /** AbortSignal of the plugin call. Its abort kills started programs and rolls back changes. */
  readonly signal?: AbortSignal | undefined
  /** Registers an undo step of the call. The step runs if a later step of the call fails. */
  undo?(fn: () => unknown): void
  /** Logger for commands and requests. A plugin passes the `log` of its context. */
  readonly log?:
    | {
        debug(message: string, fields?: Record<string, unknown>): void
        warn(message: string, fields?: Record<string, unknown>): void
      }
    | undefined
}

/** Namespace to work in: an open handle, `'host'`, or a plugin context with the member `netns`. */
export type Where = NetnsTarget | NetnsContext

/** Plugin context in which the member `netns` is set. */
export interface Place extends NetnsContext {
  readonly netns: NetnsTarget
}

/**
 * Extracts the namespace from a plugin context. A missing namespace throws `NetnsError('MISSING')` and never means the
 * node's namespace. `caller` is the beginning of the error message.
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

/** Recognises a `Netns` of another copy of the class in a bundle. */
function isNetns(value: unknown): value is Netns {
  return value instanceof Netns || (typeof value === 'object' && value !== null && 'ino' in value && 'fd' in value)
}
