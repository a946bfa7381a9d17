import { keptIn, placeOf, type Where } from '@cni/netns/handle'
import { keepingSession } from './keeping-session.ts'
import { openSession } from './open-session.ts'
import { type IpsetPort, netnsPort } from './port.ts'
import { type IpSet, makeSet } from './set.ts'
import { checkSpec } from './spec.ts'
import type { SetInfo, SetSpec } from './spec-types.ts'
import { checkSetName } from './values.ts'

/** Sets of a namespace. */
export interface Ipset {
  /** A set by name and spec. Sends nothing: call `create` or `replace`. */
  set<const S extends SetSpec>(name: string, spec: S): IpSet<S>
  /** All sets of the namespace, without their entries. */
  list(): Promise<SetInfo[]>
  /** Swaps the contents of two sets of the same type and family. Rules keep the name of their set. */
  swap(one: string | { readonly name: string }, other: string | { readonly name: string }): Promise<void>
  /** Renames a set. The new name must be free. Throws `IN_USE` while a rule or a set refers to it. */
  rename(from: string | { readonly name: string }, to: string | { readonly name: string }): Promise<void>
}

/**
 * Sets of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`. The context's `signal` stops
 * running programs. Nothing is sent before the first call.
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
     * Tells when to run the program `ipset`:
     *
     * - `'auto'` (default): only if netlink is not available. Then the runtime has no system calls, or the kernel has no
     *   nfnetlink.
     * - `'always'`: for each call.
     * - `'never'`: calls throw if netlink is not available.
     */
    readonly programs?: 'auto' | 'always' | 'never' | undefined
    /** Port to the kernel, for tests. */
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
