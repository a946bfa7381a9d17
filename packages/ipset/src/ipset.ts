import { keptIn, placeOf, type Where } from '@cni/netns/handle'
import { openSession } from './open-session.ts'
import { type IpsetPort, netnsPort } from './port.ts'
import { type IpSet, makeSet } from './set.ts'
import { checkSpec } from './spec.ts'
import type { SetInfo, SetSpec } from './spec-types.ts'
import { checkSetName } from './values.ts'
import { withoutRemovals } from './without-removals.ts'

/** IP sets of a network namespace. */
export interface Ipset {
  /**
   * Returns an object for the set with the given name and spec. Sends nothing to the kernel. The object's methods
   * `create` and `replace` create the set.
   */
  set<const S extends SetSpec>(name: string, spec: S): IpSet<S>
  /** All IP sets of the namespace, without their entries. */
  list(): Promise<SetInfo[]>
  /**
   * Swaps the contents of two sets of the same type and family. Rules that name a set match its new content afterwards.
   */
  swap(one: string | { readonly name: string }, other: string | { readonly name: string }): Promise<void>
  /**
   * Renames a set to a name that no other set has. Throws `IN_USE` while a packet filter rule or another set refers to
   * the set.
   */
  rename(from: string | { readonly name: string }, to: string | { readonly name: string }): Promise<void>
}

/**
 * Opens the IP sets of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`. The abort of the
 * context's `signal` ends the running `ipset` process. Nothing is sent to the kernel before the first call.
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
     * Use of the program `ipset` instead of netlink:
     *
     * - `'auto'` (default): only if the runtime or the kernel does not support netlink.
     * - `'always'`: each call runs the program.
     * - `'never'`: calls throw if netlink is not available.
     */
    readonly programs?: 'auto' | 'always' | 'never' | undefined
    /** Replaces the access to netlink and to the program `ipset`, for tests. */
    readonly port?: IpsetPort | undefined
  } = {},
): Ipset {
  const context = placeOf(where, 'ipset')
  const opened = openSession(options.port ?? netnsPort(context), context, options.programs)
  const session = keptIn(context.netns) === undefined ? opened : withoutRemovals(opened)
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
