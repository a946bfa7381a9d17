import { messageOf } from '@cni/types'
import { IptablesError } from '../errors.ts'
import { type Family, type Ruleset, rulesFor } from '../rules/model.ts'
import { checkPlaces } from '../rules/places.ts'
import type { Session } from '../run/session.ts'
import { once, type RegisterUndo } from './change.ts'
import { type FamilyApply, familyApply } from './family-apply.ts'
import { Journal } from './journal.ts'
import { removeFrom } from './remove.ts'
import type { ApplyReport } from './report.ts'
import { settle } from './settle.ts'

/** What `apply` needs besides the session. */
export interface ApplyOptions {
  readonly print: (rules: Ruleset, family: Family) => string
  readonly undo?: RegisterUndo | undefined
}

/**
 * Brings a ruleset into the kernel. All families at once, each with its own programs; the kernel commits table by
 * table, so whatever fails, everything that this call wrote is taken back before the error reaches the caller.
 */
export async function applyRuleset(session: Session, rules: Ruleset, options: ApplyOptions): Promise<ApplyReport> {
  checkPlaces(rules)
  const started = performance.now()
  const { chosen, other } = await session.backends()
  const filled = (await session.families()).filter((family) => rulesFor(rules, family).length > 0)
  const journal = new Journal(session)
  // What an older ruleset left in the back end that is not in use.
  const cleared = new Journal(session)
  const job = (family: Family, text: string) => familyApply(session, journal, chosen, rules, family, text)
  const jobs = filled.map((family) => job(family, options.print(rules, family)))
  const done = new Set<FamilyApply>()
  const undo = once(async () => {
    await settle([...jobs.map((each) => each.back(done.size > 0)), cleared.takeBack()])
  })
  // Before the first write: a handler that fails while we write still takes it back.
  options.undo?.(undo)
  try {
    const fresh = await settle(
      jobs.map(async (each) => {
        const ok = await each.fresh()
        if (ok) done.add(each)
        return ok
      }),
    )
    const rest = jobs.filter((_, index) => fresh[index] === false)
    // Where one family has an older ruleset, those without a rule in this one may have it too.
    const looked = rest.length === 0 ? [] : await session.familiesFor(chosen, rules)
    const empty = looked.filter((family) => !filled.includes(family))
    const emptied = empty.map((family) => job(family, ''))
    jobs.push(...emptied)
    const plans = await settle([...rest, ...emptied].map((each) => each.reconcile()))
    if (other !== undefined) await removeFrom(session, other, rules, cleared)
    for (const _ of done) plans.push('fresh')
    session.throwIfAborted()
    return {
      plan: overall(plans),
      families: filled,
      backend: chosen.kind,
      durationMs: performance.now() - started,
      undo,
    }
  } catch (error) {
    await undo().catch((second: unknown) => {
      const code = error instanceof IptablesError ? error.code : 'EXIT'
      const text = `${messageOf(error)}; and taking back what was written failed too: ${messageOf(second)}`
      throw new IptablesError(code, text, { cause: new AggregateError([error, second]) })
    })
    throw error
  }
}

// internal

/** One word for all families: the same in each, or a reconciliation. */
function overall(plans: readonly ApplyReport['plan'][]): ApplyReport['plan'] {
  const [first = 'unchanged', ...rest] = new Set(plans)
  return rest.length === 0 ? first : 'reconcile'
}
