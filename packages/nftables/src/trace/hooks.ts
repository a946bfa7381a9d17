import type { Chain, Ruleset, Table } from '../rules/model.ts'
import type { Hook } from '../wire/family.ts'
import type { BaseChain } from '../wire/specs.ts'

/** A base chain where a packet enters it. */
export interface Entered {
  readonly table: Table
  readonly chain: Chain
  readonly base: BaseChain
  /** When it is its turn. */
  readonly priority: number
}

/** Where the kernel translates addresses, whatever the priority of the chains is that say how. */
const NAT: Partial<Record<Hook, number>> = { prerouting: -100, input: 100, output: -100, postrouting: 100 }

/** The base chains of a hook in the order in which a packet of the family enters them. */
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
  // Of two with the same priority the one that was made last is the first.
  return entered.reverse().sort((a, b) => a.priority - b.priority || a.base.priority - b.base.priority)
}
