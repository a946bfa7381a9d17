import type { NetnsTarget } from '../handle/netns.ts'
import { changeBack } from './link/change.ts'
import type { LinkRef } from './link/link.ts'
import { addressOf, type Rtnl } from './rtnl.ts'

/** Where inverse steps go. */
export interface Undoing {
  readonly netns: NetnsTarget
  undo(step: () => unknown): void
  /** How to reach the namespace a link has gone to. */
  open(netns: NetnsTarget): Promise<Rtnl>
}

/**
 * The same operations; each change registers the step that takes it back, once it has been made. Not once it is closed:
 * then only inverse steps use it, whose own inverse nobody wants.
 */
export function undoing(rtnl: Rtnl, { netns, undo: register, open }: Undoing): Rtnl {
  let closed = false
  const undo = (step: () => unknown): void => {
    if (!closed) register(step)
  }
  const close = (): void => {
    closed = true
    rtnl.close()
  }
  const setState = async (link: LinkRef, up: boolean): Promise<void> => {
    const before = await rtnl.getLink(link)
    await (up ? rtnl.setLinkUp(link) : rtnl.setLinkDown(link))
    if (before !== undefined && before.up !== up) undo(() => rtnl.setLink(before, { up: !up }))
  }
  return {
    ...rtnl,
    close,
    [Symbol.dispose]: close,
    async addLink(link) {
      const answer = await rtnl.addLink(link)
      const { name, netns: birthplace } = link
      if (answer.added) undo(() => (birthplace ? inside(birthplace, name) : rtnl.deleteLink(name)))
      return answer
    },
    async setLink(link, change) {
      const answer = await rtnl.setLink(link, change)
      const { before, changed } = answer
      const back = changeBack(before, change)
      const { netns: gone } = change
      if (!changed) return answer
      if (gone === undefined) undo(() => rtnl.setLink(before, back))
      else undo(() => bring(gone, change.name ?? before.name))
      return answer

      async function bring(from: NetnsTarget, name: string): Promise<void> {
        using there = await open(from)
        const { master, bridgePort, up, ...rest } = back
        await there.setLink(name, { ...rest, netns })
        await rtnl.setLink(before.name, { master, bridgePort, up })
      }
    },
    setLinkUp: (link) => setState(link, true),
    setLinkDown: (link) => setState(link, false),
    async addAddress(first, cidr?: string) {
      const address = addressOf(first, cidr)
      const answer = await rtnl.addAddress(address)
      if (answer.added) undo(() => rtnl.deleteAddress(address))
      return answer
    },
    async deleteAddress(first, cidr?: string) {
      const address = addressOf(first, cidr)
      const link = address.link ?? address.linkIndex
      const before = link === undefined ? [] : await rtnl.getAddresses({ link })
      const answer = await rtnl.deleteAddress(address)
      if (!answer.deleted || link === undefined) return answer
      // Those that went with it are put back with it: IPv4's secondary addresses follow the first of their network.
      const left = new Set((await rtnl.getAddresses({ link })).map((each) => each.cidr))
      for (const gone of before.toReversed()) if (!left.has(gone.cidr)) undo(() => rtnl.addAddress(gone))
      return answer
    },
    async addRoute(route) {
      const answer = await rtnl.addRoute(route)
      if (answer.added) undo(() => rtnl.deleteRoute(route))
      return answer
    },
    async replaceRoute(route) {
      const before = await rtnl.getRoutes()
      await rtnl.replaceRoute(route)
      const [gone, come] = differences(before, await rtnl.getRoutes())
      undo(async () => {
        for (const each of come) await rtnl.deleteRoute(each)
        for (const each of gone) await rtnl.addRoute(each)
      })
    },
    async deleteRoute(route) {
      const before = await rtnl.getRoutes()
      const answer = await rtnl.deleteRoute(route)
      const [gone] = answer.deleted ? differences(before, await rtnl.getRoutes()) : [[]]
      for (const each of gone) undo(() => rtnl.addRoute(each))
      return answer
    },
    async addRule(rule) {
      const answer = await rtnl.addRule(rule)
      if (answer.added) undo(() => rtnl.deleteRule(rule))
      return answer
    },
    async deleteRule(rule) {
      const before = await rtnl.getRules(rule.family)
      const answer = await rtnl.deleteRule(rule)
      const [gone] = answer.deleted ? differences(before, await rtnl.getRules(rule.family)) : [[]]
      for (const each of gone) undo(() => rtnl.addRule(each))
      return answer
    },
  }

  async function inside(birthplace: NetnsTarget, name: string): Promise<void> {
    using there = await open(birthplace)
    await there.deleteLink(name)
  }
}

/** What is in the first list only, and what is in the second only. */
function differences<T>(before: readonly T[], after: readonly T[]): [gone: T[], come: T[]] {
  const keyOf = (value: T): string => JSON.stringify(value)
  const [old, young] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  return [before.filter((value) => !young.has(keyOf(value))), after.filter((value) => !old.has(keyOf(value)))]
}
