import { formatAddress } from '@cni/types/ip'
import { filterAt } from './filter/requests.ts'
import { parseAddress } from './ip.ts'
import type { BridgeVlan, NewFilter, NewNeighbour, OldQdisc } from './port/arguments.ts'
import type { Neighbour } from './port/neighbour.ts'
import type { OnLink } from './port/on-link.ts'
import type { Qdisc, QdiscToAdd } from './port/qdisc.ts'
import type { NewRoute } from './port/route.ts'
import { addressOf, type RtnlPort } from './port/rtnl.ts'
import { parentOf } from './qdisc/codec.ts'
import { destinationText, resolveRoute } from './route/resolve.ts'

/**
 * Operations that change routes, rules, and objects that belong to links (addresses, neighbours, VLANs, qdiscs,
 * filters).
 */
type TableChanges = Pick<
  RtnlPort,
  | `${'add' | 'delete'}${'Address' | 'Route' | 'Rule' | 'Neighbour' | 'BridgeVlan' | 'Qdisc' | 'Redirect'}`
  | 'addFilter'
  | `replace${'Route' | 'Neighbour' | 'Qdisc' | 'Filter'}`
>

/**
 * Wraps the operations that change addresses, routes, rules and similar objects. Each change registers an undo step.
 */
export function tablesWithUndo(rtnl: RtnlPort, undo: (step: () => unknown) => void): TableChanges {
  /** Adds an object such as an address, and registers an undo step that deletes the object. */
  const adding = async <T>(thing: T, add: (thing: T) => Promise<{ added: boolean }>, remove: (thing: T) => unknown) => {
    const answer = await add(thing)
    if (answer.added) undo(() => remove(thing))
    return answer
  }
  /** Registers undo steps from the difference between two lists, before and after a change. */
  const changing = async <T, Answer>(
    list: () => Promise<T[]>,
    change: () => Promise<Answer>,
    add: (thing: T) => Promise<unknown>,
    remove: (thing: T) => Promise<unknown>,
    register = undo,
  ): Promise<Answer> => {
    const before = await list()
    const answer = await change()
    const after = await list()
    for (const thing of notIn(after, before).toReversed()) register(() => add(thing))
    for (const thing of notIn(before, after)) register(() => remove(thing))
    return answer
  }
  /** Keeps a qdisc with filters, because the deletion would also delete filters of other programs. */
  const deleteUnlessUsed = async (qdisc: QdiscToAdd) => {
    const link = qdisc.link ?? qdisc.linkIndex
    if (parentOf(qdisc) === 'ingress' && link !== undefined && (await rtnl.getLink(link)) !== undefined) {
      if ((await rtnl.getFilters({ link })).length > 0) return
    }
    await rtnl.deleteQdisc(qdisc)
  }
  /** Does not compare the eBPF program, because its descriptor may be closed by then. */
  const deleteExactly = ({ program: _, ...filter }: NewFilter) => rtnl.deleteFilter(filter)
  const sameDestination = (route: NewRoute) => {
    const resolved = resolveRoute(route, 'delete')
    const { family, table } = resolved
    const destination = destinationText(resolved)
    return async () => (await rtnl.getRoutes({ family, table })).filter((each) => each.destination === destination)
  }

  return {
    addAddress: (first, cidr?: string) => adding(addressOf(first, cidr), rtnl.addAddress, rtnl.deleteAddress),
    async deleteAddress(first, cidr?: string) {
      const address = addressOf(first, cidr)
      const link = address.link ?? address.linkIndex
      // Compares all addresses, because deleting the first address also deletes secondary addresses.
      const list = async () => (link === undefined ? [] : await rtnl.getAddresses({ link }))
      return await changing(list, () => rtnl.deleteAddress(address), rtnl.addAddress, rtnl.deleteAddress)
    },
    addRoute: (route) => adding(route, rtnl.addRoute, rtnl.deleteRoute),
    replaceRoute: (route) =>
      changing(sameDestination(route), () => rtnl.replaceRoute(route), rtnl.addRoute, rtnl.deleteRoute),
    deleteRoute: (route) =>
      changing(sameDestination(route), () => rtnl.deleteRoute(route), rtnl.addRoute, rtnl.deleteRoute),
    addRule: (rule) => adding(rule, rtnl.addRule, rtnl.deleteRule),
    deleteRule(rule) {
      const list = async () => (await rtnl.getRules(rule.family)).filter(({ table }) => table === rule.table)
      return changing(list, () => rtnl.deleteRule(rule), rtnl.addRule, rtnl.deleteRule)
    },
    addNeighbour: (neighbour) => adding(neighbour, rtnl.addNeighbour, rtnl.deleteNeighbour),
    replaceNeighbour: (neighbour) =>
      changing(
        sameNeighbour(rtnl, neighbour),
        () => rtnl.replaceNeighbour(neighbour),
        rtnl.addNeighbour,
        rtnl.deleteNeighbour,
      ),
    deleteNeighbour: (neighbour) =>
      changing(
        sameNeighbour(rtnl, neighbour),
        () => rtnl.deleteNeighbour(neighbour),
        rtnl.addNeighbour,
        rtnl.deleteNeighbour,
      ),
    addBridgeVlan: (vlan) =>
      changing(vlansOf(rtnl, vlan), () => rtnl.addBridgeVlan(vlan), rtnl.addBridgeVlan, rtnl.deleteBridgeVlan),
    deleteBridgeVlan: (vlan) =>
      changing(vlansOf(rtnl, vlan), () => rtnl.deleteBridgeVlan(vlan), rtnl.addBridgeVlan, rtnl.deleteBridgeVlan),
    addQdisc: (qdisc) => adding(qdisc, rtnl.addQdisc, deleteUnlessUsed),
    replaceQdisc: (qdisc) =>
      changing(qdiscsAt(rtnl, qdisc), () => rtnl.replaceQdisc(qdisc), rtnl.addQdisc, rtnl.deleteQdisc),
    async deleteQdisc(qdisc) {
      const link = qdisc.link ?? qdisc.linkIndex
      const redirects = async () => (link === undefined ? [] : await rtnl.getRedirects({ link }))
      const before = await redirects()
      const steps: Array<() => unknown> = []
      const remove = () => rtnl.deleteQdisc(qdisc)
      const register = (step: () => unknown) => void steps.unshift(step)
      const answer = await changing(qdiscsAt(rtnl, qdisc), remove, rtnl.addQdisc, rtnl.deleteQdisc, register)
      // The kernel has deleted the qdisc's redirections with the qdisc. The undo step adds the redirections again.
      for (const gone of notIn(await redirects(), before)) steps.push(() => rtnl.addRedirect(gone))
      undo(async () => {
        for (const step of steps) await step()
      })
      return answer
    },
    addFilter: (filter) => adding(filter, rtnl.addFilter, deleteExactly),
    async replaceFilter(filter) {
      const link = filter.link ?? filter.linkIndex
      const { direction } = filter
      const before = link === undefined ? [] : await rtnl.getFilters({ link, direction })
      await rtnl.replaceFilter(filter)
      if (filterAt(before, filter) === undefined) undo(() => deleteExactly(filter))
    },
    addRedirect: (redirect) => adding(redirect, rtnl.addRedirect, rtnl.deleteRedirect),
    deleteRedirect: (redirect) => {
      const link = redirect.link ?? redirect.linkIndex
      const list = async () => (link === undefined ? [] : await rtnl.getRedirects({ link }))
      return changing(list, () => rtnl.deleteRedirect(redirect), rtnl.addRedirect, rtnl.deleteRedirect)
    },
  }
}

/** Creates a function that lists the neighbour (ARP, NDP) entries for the address of a given neighbour. */
function sameNeighbour(rtnl: RtnlPort, neighbour: NewNeighbour): () => Promise<Neighbour[]> {
  const { proxy = false } = neighbour
  const address = formatAddress(parseAddress(neighbour.address).bytes)
  const link = neighbour.link ?? neighbour.linkIndex
  const filter = { proxy, ...(link === undefined ? {} : { link }) }
  return async () => (await rtnl.getNeighbours(filter)).filter((each) => each.address === address)
}

function vlansOf(rtnl: RtnlPort, { link: name, linkIndex }: OnLink): () => Promise<BridgeVlan[]> {
  const link = name ?? linkIndex
  return async () => (link === undefined ? [] : await rtnl.getBridgeVlans({ link }))
}

/** Lists the qdiscs at a given qdisc's parent, except the kernel's default qdisc. */
function qdiscsAt(rtnl: RtnlPort, qdisc: OldQdisc): () => Promise<Qdisc[]> {
  const link = qdisc.link ?? qdisc.linkIndex
  const parent = parentOf(qdisc)
  return async () => {
    const all = link === undefined ? [] : await rtnl.getQdiscs({ link })
    return all.filter((each) => each.parent === parent && each.handle !== '0:')
  }
}

/** Values of the list `values` that are missing in the list `list`. */
function notIn<T>(list: readonly T[], values: readonly T[]): T[] {
  const known = new Set(list.map((value) => JSON.stringify(value)))
  return values.filter((value) => !known.has(JSON.stringify(value)))
}
