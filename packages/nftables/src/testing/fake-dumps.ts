import { attributeMap, readCString } from '@cni/netns/netlink'
import { NFGENMSG } from '../wire/messages.ts'
import { NFT_MSG, NFTA_ELEMENTS, NFTA_RULE } from './fake-numbers.ts'
import { chainBody, elementBodies, ruleBody, setBody, tableBody } from './fake-records.ts'
import { refuse } from './fake-refusal.ts'
import { type FakeState, keyOf } from './fake-state.ts'

/** Objects with which the fake kernel answers a dump request, as message bodies. */
export function dumpBodies(state: FakeState, message: number, body: Buffer): { add: number; bodies: Buffer[] } {
  const family = body.readUInt8(0)
  const attributes = attributeMap(body, NFGENMSG)
  const name = (type: number) => readCString(attributes.get(type))
  const tables = [...state.values()].filter((table) => family === 0 || table.family === family)
  // Attribute 1 is the table's name. A dump of chains does not filter by this name, as in the kernel.
  const selected = tables.filter(({ name: each }) => (name(1) ?? each) === each)
  switch (message) {
    case NFT_MSG.GETTABLE:
      return { add: NFT_MSG.NEWTABLE, bodies: tables.map(tableBody) }
    case NFT_MSG.GETCHAIN:
      return {
        add: NFT_MSG.NEWCHAIN,
        bodies: tables.flatMap((table) => [...table.chains.values()].map((chain) => chainBody(table, chain))),
      }
    case NFT_MSG.GETRULE: {
      const bodies = selected.flatMap((table) =>
        [...table.chains.values()]
          .filter((chain) => (name(NFTA_RULE.CHAIN) ?? chain.name) === chain.name)
          .flatMap((chain) => chain.rules.map((rule) => ruleBody(table, chain, rule))),
      )
      return { add: NFT_MSG.NEWRULE, bodies }
    }
    case NFT_MSG.GETSET:
      return {
        add: NFT_MSG.NEWSET,
        bodies: selected.flatMap((table) => [...table.sets.values()].map((set) => setBody(table, set))),
      }
    case NFT_MSG.GETSETELEM: {
      const table = state.get(keyOf(family, name(NFTA_ELEMENTS.TABLE) ?? '')) ?? refuse('ENOENT')
      const set = table.sets.get(name(NFTA_ELEMENTS.SET) ?? '') ?? refuse('ENOENT')
      return { add: NFT_MSG.NEWSETELEM, bodies: elementBodies(table, set, [...set.elements.values()]) }
    }
    case NFT_MSG.GETOBJ:
      return { add: NFT_MSG.NEWOBJ, bodies: [] }
    case NFT_MSG.GETFLOWTABLE:
      return { add: NFT_MSG.NEWFLOWTABLE, bodies: [] }
    default:
      return refuse('EINVAL')
  }
}
