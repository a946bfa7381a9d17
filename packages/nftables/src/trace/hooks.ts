import type { Chain, Ruleset, Table } from '../rules/model.ts'
import type { Hook } from '../wire/family.ts'
import type { BaseChain } from '../wire/specs.ts'

/** Base chain that a traced packet enters at a hook. */
export interface Entered {
  readonly table: Table
  readonly chain: Chain
  readonly base: BaseChain
  /** Position of the chain among the base chains of the hook: a lower number comes first. */
  readonly priority: number
}

/** Priority of NAT at each hook. A nat chain's own priority only sets its order among nat chains. */
const NAT: Partial<Record<Hook, number>> = { prerouting: -100, input: 100, output: -100, postrouting: 100 }

/** Base chains of a hook, in the order in which a packet of the address family enters the chains. */
export function chainsAt(hook: Hook, { tables }: Ruleset, family: 'ip' | 'ip6'): readonly Entered[] {
  const entered = tables.flatMap((table) =>
    table.family !== 'inet' && table.family !== family
      ? []
      : table.chains.flatMap((chain): Entered[] => {
          const { base } = chain
          if (base?.hook !== hook) return []
          return [{ table, chain, base, priority: base.type === 'nat' ? (NAT[hook] ?? base.priority) : base.priority }]
        }),
  )
  // Among chains of equal priority, the chain that was added last comes first.
  return entered.reverse().sort((a, b) => a.priority - b.priority || a.base.priority - b.base.priority)
}
