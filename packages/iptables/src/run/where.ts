import { Netns, NetnsError, type NetnsTarget } from '@cni/netns/handle'

/** Where log lines go; the `log` of every plugin context fits. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
}

/** A context that names a namespace; the contexts of `@cni/skel` fit. */
export interface IptablesContext {
  readonly netns?: NetnsTarget | undefined
  /** Aborting it kills the running programs and takes back what they wrote. */
  readonly signal?: AbortSignal | undefined
  /** Registers an inverse step, to be run when something later fails. */
  undo?(fn: () => unknown): void
  readonly log?: Log | undefined
}

/** The namespace to work in: an open one, `'host'`, or a context that has one. */
export type Where = NetnsTarget | IptablesContext

/** A context whose namespace is certainly there. */
export interface Place extends IptablesContext {
  readonly netns: NetnsTarget
}

/** Takes the namespace out of a context. "Nothing given" is an error and never means the node. */
export function placeOf(where: Where): Place {
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
  throw new NetnsError('MISSING', "iptables: no network namespace given; pass an open one, or 'host' for the node's")
}

/** By shape: a bundle may hold the class twice. */
function isNetns(value: unknown): value is Netns {
  return value instanceof Netns || (typeof value === 'object' && value !== null && 'ino' in value && 'fd' in value)
}
