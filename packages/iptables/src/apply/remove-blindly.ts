import type { Family, Rule, Ruleset, Table } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../session/session.ts'
import { settle } from '../settle.ts'
import { removalText } from '../text/removal-text.ts'
import { textTables } from './fresh.ts'
import type { Journal } from './journal.ts'
import { removeLooking } from './remove-looking.ts'

/**
 * Removes a ruleset from a family with an iptables program, without reading the rules first. Two kinds of tables are an
 * exception: tables that `removalText` omits, and tables whose removal the kernel refuses. There, reads the rules first
 * and then deletes the ruleset's rules.
 */
export async function removeBlindly(
  session: Session,
  journal: Journal,
  backend: Backend,
  rules: Ruleset,
  family: Family,
): Promise<void> {
  const text = removalText(rules, family)
  const written = textTables(text)
  const tables = new Set(written.map(({ table }) => table))
  const early = backend.kind === 'iptables-nft' && !rules.rules.some(holdsMore)
  const attempt = async () => {
    try {
      await session.restore(backend, family, text, early ? { commits: written.length } : {})
    } catch (error) {
      if (!(error instanceof RestoreError) || error.line === undefined) throw error
      const { line } = error
      // Skips tables whose removal is already committed. A second removal could delete another program's rule that
      // equals a rule of the ruleset.
      const left = new Set(written.filter(({ commit }) => commit >= line).map(({ table }) => table))
      await removeLooking(
        session,
        journal,
        backend,
        inTables(rules, (table) => left.has(table)),
        [family],
      )
    }
  }
  await settle([
    attempt(),
    removeLooking(
      session,
      journal,
      backend,
      inTables(rules, (table) => !tables.has(table)),
      [family],
    ),
  ])
}

// internal

/**
 * True if a rule may use another kernel object, such as an ipset. The caller may destroy that object after the removal.
 * So the removal of such a rule waits until the kernel has released the object.
 */
const holdsMore = ({ matches, target }: Rule) =>
  matches.some(({ match }) => match === 'set' || match === 'raw') || target.target === 'SET' || target.target === 'raw'

const inTables = ({ chains, rules }: Ruleset, has: (table: Table) => boolean): Ruleset => ({
  chains: chains.filter(({ table }) => has(table)),
  rules: rules.filter(({ table }) => has(table)),
})
