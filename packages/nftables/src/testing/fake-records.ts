import { type Attribute, be32, be64, cString, encodeAttributes } from '@cni/netns/netlink'
import { encodeExpressions } from '../wire/expressions/expression.ts'
import { nfgenmsg } from '../wire/messages.ts'
import { NFTA_CHAIN, NFTA_ELEMENTS, NFTA_HOOK, NFTA_RULE, NFTA_SET, NFTA_TABLE } from './fake-numbers.ts'
import { type FakeChain, type FakeElement, type FakeRule, type FakeSet, type FakeTable, jumpsTo } from './fake-state.ts'

/** Body of a netlink message about a table or its content: header with the table's family, then attributes. */
const body = ({ family }: FakeTable, attributes: readonly Attribute[]) => encodeAttributes(attributes, nfgenmsg(family))

const noted = (type: number, userdata: Buffer | undefined): Attribute[] =>
  userdata === undefined ? [] : [[type, userdata]]

export function tableBody(table: FakeTable): Buffer {
  return body(table, [
    [NFTA_TABLE.NAME, cString(table.name)],
    [NFTA_TABLE.HANDLE, be64(table.handle)],
    [NFTA_TABLE.FLAGS, be32(table.flags)],
    [NFTA_TABLE.USE, be32(table.chains.size + table.sets.size)],
    ...noted(NFTA_TABLE.USERDATA, table.userdata),
  ])
}

export function chainBody(table: FakeTable, chain: FakeChain): Buffer {
  const { base, policy } = chain
  const hook: Attribute[] =
    base === undefined
      ? []
      : [
          [
            NFTA_CHAIN.HOOK,
            [
              [NFTA_HOOK.NUMBER, be32(base.hook)],
              [NFTA_HOOK.PRIORITY, be32(base.priority)],
            ],
          ],
          [NFTA_CHAIN.POLICY, be32(policy ?? 1)],
          [NFTA_CHAIN.TYPE, cString(base.type)],
          [NFTA_CHAIN.FLAGS, be32(1)],
        ]
  return body(table, [
    [NFTA_CHAIN.TABLE, cString(table.name)],
    [NFTA_CHAIN.NAME, cString(chain.name)],
    [NFTA_CHAIN.HANDLE, be64(chain.handle)],
    ...hook,
    [NFTA_CHAIN.USE, be32(chain.rules.length + jumpsTo(table, chain.name))],
    ...noted(NFTA_CHAIN.USERDATA, chain.userdata),
  ])
}

export function ruleBody(table: FakeTable, chain: FakeChain, rule: FakeRule): Buffer {
  return body(table, [
    [NFTA_RULE.TABLE, cString(table.name)],
    [NFTA_RULE.CHAIN, cString(chain.name)],
    [NFTA_RULE.HANDLE, be64(rule.handle)],
    [NFTA_RULE.EXPRESSIONS, encodeExpressions(rule.expressions)],
    ...noted(NFTA_RULE.USERDATA, rule.userdata),
  ])
}

export function setBody(table: FakeTable, set: FakeSet): Buffer {
  return body(table, [
    [NFTA_SET.TABLE, cString(table.name)],
    [NFTA_SET.NAME, cString(set.name)],
    [NFTA_SET.HANDLE, be64(set.handle)],
    ...set.attributes,
  ])
}

/** Maximum number of elements in a message, because more would not fit into an attribute. */
const ELEMENTS_IN_MESSAGE = 200

export function elementBodies(table: FakeTable, set: FakeSet, elements: readonly FakeElement[]): Buffer[] {
  const bodies: Buffer[] = []
  for (let at = 0; at < elements.length; at += ELEMENTS_IN_MESSAGE) {
    const some = elements.slice(at, at + ELEMENTS_IN_MESSAGE)
    bodies.push(
      body(table, [
        [NFTA_ELEMENTS.TABLE, cString(table.name)],
        [NFTA_ELEMENTS.SET, cString(set.name)],
        [NFTA_ELEMENTS.ELEMENTS, some.map((element): Attribute => [1, [...element]])],
      ]),
    )
  }
  return bodies
}
