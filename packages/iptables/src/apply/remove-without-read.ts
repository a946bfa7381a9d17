import type { Family, Rule, Ruleset, Table } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../session/session.ts'
import { settle } from '../settle.ts'
import { removalText } from '../text/removal-text.ts'
import type { Journal } from './journal.ts'
import { removeAfterRead } from './remove-after-read.ts'
import { textTables } from './text-tables.ts'

/** Removes a ruleset with an iptables program, if possible without reading the rules first. */
export async function removeWithoutRead(
  session: Session,
  journal: Journal,
  backend: Backend,
  rules: Ruleset,
  family: Family,
): Promise<void> {
  const text = removalText(rules, family)
  const written = textTables(text)
  const tables = new Set(written.map(({ table }) => table))
  const early = backend.kind === 'iptables-nft' && !rules.rules.some(usesOtherObjects)
  const attempt = async () => {
    try {
      await session.restore(backend, family, text, early ? { commits: written.length } : {})
    } catch (error) {
      if (!(error instanceof RestoreError) || error.line === undefined) throw error
      const { line } = error
      // Excludes committed tables, because a second removal could delete another program's equal rule.
      const remaining = new Set(written.filter(({ commit }) => commit >= line).map(({ table }) => table))
      await removeAfterRead(
        session,
        journal,
        backend,
        inTables(rules, (table) => remaining.has(table)),
        [family],
      )
    }
  }
  await settle([
    attempt(),
    removeAfterRead(
      session,
      journal,
      backend,
      inTables(rules, (table) => !tables.has(table)),
      [family],
    ),
  ])
}

// internal

/** True if a rule may use another kernel object that the caller destroys afterwards. */
const usesOtherObjects = ({ matches, target }: Rule) =>
  matches.some(({ match }) => match === 'set' || match === 'raw') || target.target === 'SET' || target.target === 'raw'

const inTables = ({ chains, rules }: Ruleset, has: (table: Table) => boolean): Ruleset => ({
  chains: chains.filter(({ table }) => has(table)),
  rules: rules.filter(({ table }) => has(table)),
})
