import type { Expression } from '../expressions/expression-types.ts'
import type { Compat, RuleSpec } from '../specs.ts'

const IPV4_PROTOCOL = 9
const NFT_RULE_COMPAT_F_INV = 2

/**
 * Finds the protocol of a rule with xt modules (extensions of iptables). A restored rule must name this protocol, but
 * the kernel does not report it. Returns `undefined` for a rule without xt modules.
 */
export function compatOf(expressions: readonly Expression[]): RuleSpec['compat'] {
  if (!expressions.some(({ name }) => name === 'match' || name === 'target')) return undefined
  const at = expressions.findIndex(
    (each) =>
      (each.name === 'meta' && each.key === 'l4proto') ||
      (each.name === 'payload' && each.base === 'network' && each.offset === IPV4_PROTOCOL && each.len === 1),
  )
  const compared = at < 0 ? undefined : expressions[at + 1]
  if (compared?.name !== 'cmp') return { protocol: 0, inverted: false }
  return { protocol: compared.data[0] ?? 0, inverted: compared.op === 'neq' }
}

/** Protocol information for xt modules, as values of netlink attributes. */
export const compatValues = ({ protocol, inverted }: Compat) => ({
  ...{ protocol, flags: inverted ? NFT_RULE_COMPAT_F_INV : 0 },
})
