import { Netns, type NetnsTarget } from './netns.ts'
import { NetnsError } from './netns-error.ts'

/** A context that names a namespace; the contexts of `@cni/skel` fit. */
export interface NetnsContext {
  readonly netns?: NetnsTarget | undefined
  /** Aborting it kills the running programs and takes back what was written. */
  readonly signal?: AbortSignal | undefined
  /** Registers an inverse step, to be run when something later fails. */
  undo?(fn: () => unknown): void
  /** Where log lines go; the `log` of every plugin context fits. */
  readonly log?:
    | {
        debug(message: string, fields?: Record<string, unknown>): void
        warn(message: string, fields?: Record<string, unknown>): void
      }
    | undefined
}

/** The namespace to work in: an open one, `'host'`, or a context that has one. */
export type Where = NetnsTarget | NetnsContext

/** A context whose namespace is certainly there. */
export interface Place extends NetnsContext {
  readonly netns: NetnsTarget
}

/**
 * Takes the namespace out of a context. "Nothing given" is an error, `NetnsError('MISSING')`, and never means the node.
 * `caller` begins its message.
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

/** By shape: a bundle may hold the class twice. */
function isNetns(value: unknown): value is Netns {
  return value instanceof Netns || (typeof value === 'object' && value !== null && 'ino' in value && 'fd' in value)
}
