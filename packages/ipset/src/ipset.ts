import { keptIn, placeOf, type Where } from '@cni/netns/handle'
import { keepingSession } from './keeping-session.ts'
import { openSession } from './open-session.ts'
import { type IpsetPort, netnsPort } from './port.ts'
import { type IpSet, makeSet } from './set.ts'
import { checkSpec } from './spec.ts'
import type { SetInfo, SetSpec } from './spec-types.ts'
import { checkSetName } from './values.ts'

/** The sets of one namespace. */
export interface Ipset {
  /** A set by its name and what it is made with. Runs nothing: call `create` or `replace`. */
  set<const S extends SetSpec>(name: string, spec: S): IpSet<S>
  /** All sets of the namespace, without their entries. */
  list(): Promise<SetInfo[]>
  /** Exchanges the contents of two sets of the same type and family; rules keep their set's name. */
  swap(one: string | { readonly name: string }, other: string | { readonly name: string }): Promise<void>
  /** Gives a set another name, which must be free; `IN_USE` while a rule or a set refers to it. */
  rename(from: string | { readonly name: string }, to: string | { readonly name: string }): Promise<void>
}

/**
 * The ipsets of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`, whose `signal` stops
 * running programs. Nothing runs before the first call.
 *
 * @example
 * ```ts
 * import { ipset } from '@cni/ipset'
 *
 * const pods = ipset('host').set('pods-v4', { type: 'hash:ip', family: 'ipv4', comment: true })
 * export async function enrol(ip: string, uid: string) {
 *   await pods.create()
 *   await pods.add({ entry: ip, comment: uid })
 * }
 * export const forget = (uid: string) => pods.deleteByComment(uid)
 * ```
 */
export function ipset(
  where: Where,
  options: {
    /**
     * When the program `ipset` is run. `'auto'` (default): only where the kernel cannot be talked to without it, because the
     * runtime has no system calls or the kernel no nfnetlink. `'always'`, or `'never'`: then such a place is an error.
     */
    readonly programs?: 'auto' | 'always' | 'never' | undefined
    /** What reaches the kernel; for tests. */
    readonly port?: IpsetPort | undefined
  } = {},
): Ipset {
  const place = placeOf(where, 'ipset')
  const opened = openSession(options.port ?? netnsPort(place), place, options.programs)
  const session = keptIn(place.netns) === undefined ? opened : keepingSession(opened)
  const both = async (verb: 'swap' | 'rename', one: SetOrName, other: SetOrName) => {
    const change = { verb, set: checkSetName(nameOf(one)), other: checkSetName(nameOf(other)) }
    await session.change([change], { exist: false })
  }
  return {
    set: (name, spec) => makeSet(session, checkSetName(name), checkSpec(name, spec)),
    list: () => session.list(),
    swap: (one, other) => both('swap', one, other),
    rename: (from, to) => both('rename', from, to),
  }
}

type SetOrName = Parameters<Ipset['swap']>[0]

const nameOf = (set: SetOrName) => (typeof set === 'object' && set !== null ? set.name : set)
