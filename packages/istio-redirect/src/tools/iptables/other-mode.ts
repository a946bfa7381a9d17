import { families, isBuiltin, type Rule, type Ruleset, rulesFor } from '@cni/iptables'
import type { CaptureConfig } from '../../redirect/config.ts'
import { redirectRules } from '../../redirect/rules.ts'

/**
 * Rules of built-in chains that the same configuration has in the other interception mode. They lead to no chain, so
 * nothing tells whose they are: after a change of mode they have to be removed by name.
 */
export function rulesOfOtherMode(config: CaptureConfig): Ruleset {
  const interceptionMode = config.interceptionMode === 'TPROXY' ? 'REDIRECT' : 'TPROXY'
  const other = redirectRules({ ...config, interceptionMode, ipv6: true })
  const now = redirectRules({ ...config, ipv6: true })
  const rules = families.flatMap((family) => {
    const kept = new Set(rulesFor(now, family).map(identity))
    return rulesFor(other, family)
      .filter(({ table, chain, target }) => isBuiltin(table, chain) && target.target !== 'jump')
      .filter((rule) => !kept.has(identity(rule)))
      .map((rule): Rule => ({ ...rule, family }))
  })
  return { chains: [], rules }
}

const identity = ({ family: _, ...rule }: Rule): string => JSON.stringify(rule)
