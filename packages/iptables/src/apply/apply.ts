import { messageOf } from '@cni/types'
import { IptablesError } from '../errors.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { checkTablesAndChains } from '../rules/check-chains.ts'
import { type Family, type Ruleset, rulesFor } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Session } from '../session/session.ts'
import { settle } from '../settle.ts'
import { desiredState } from '../state/desired.ts'
import { freshSteps } from '../state/fresh.ts'
import { planSteps } from '../state/plan.ts'
import { once, type RegisterUndo } from './change.ts'
import { type FamilyApply, familyApply } from './family-apply.ts'
import { Journal } from './journal.ts'
import { removeFrom } from './remove-after-read.ts'
import { type ApplyReport, overall, planOf } from './report.ts'

/** Options of `applyRuleset`, which writes a ruleset to the kernel. */
export interface ApplyOptions {
  /** Prints the restore text with which a family's rules are first written to the kernel. Default: `restoreText`. */
  readonly print?: ((rules: Ruleset, family: Family) => string) | undefined
  readonly undo?: RegisterUndo | undefined
}

/** Writes a ruleset to the kernel. Rolls back a failed write. */
export async function applyRuleset(session: Session, rules: Ruleset, options: ApplyOptions): Promise<ApplyReport> {
  checkTablesAndChains(rules)
  const started = performance.now()
  const { chosen, other } = await session.backends(rules)
  const families = (await session.families()).filter((family) => rulesFor(rules, family).length > 0)
  const work = new ApplyWork(session, chosen, rules)
  // Records the removal of old rules from the unused back end. A rollback restores these rules.
  const cleared = new Journal(session)
  let writing: Promise<unknown> | undefined
  const undo = once(async () => {
    // The undo step may run while this `apply` call is still writing.
    await writing?.catch(() => {})
    await settle([work.rollBack(), cleared.rollBack()])
  })
  // The undo step must also run if the plugin's handler fails during the write.
  options.undo?.(undo)
  const write = async (): Promise<ApplyReport['plan']> => {
    const plan = (await work.byNetlink()) ?? (await work.byPrograms(families, options.print))
    if (other !== undefined) await removeFrom(session, other, rules, cleared)
    return plan
  }
  try {
    const written = write()
    writing = written
    const plan = await written
    session.throwIfAborted()
    const { generation } = work
    return { plan, families, backend: chosen.kind, generation, durationMs: performance.now() - started, undo }
  } catch (error) {
    await undo().catch((second: unknown) => {
      const code = error instanceof IptablesError ? error.code : 'EXIT'
      const text = `${messageOf(error)}; the rollback failed too: ${messageOf(second)}`
      throw new IptablesError(code, text, { cause: new AggregateError([error, second]) })
    })
    throw error
  }
}

// internal

class ApplyWork {
  readonly #session: Session
  readonly #backend: Backend
  readonly #rules: Ruleset
  readonly #journal: Journal
  readonly #jobs: FamilyApply[] = []
  readonly #fresh = new Set<FamilyApply>()
  /** Generation of nf_tables (the kernel's change counter) before the write by netlink. */
  generation: number | undefined

  constructor(session: Session, backend: Backend, rules: Ruleset) {
    this.#session = session
    this.#backend = backend
    this.#rules = rules
    this.#journal = new Journal(session)
  }

  /** Writes all families in one netlink transaction. Returns `undefined` if netlink cannot write the rules. */
  async byNetlink(): Promise<ApplyReport['plan'] | undefined> {
    const rules = this.#rules
    const plans = new Map<Family, ApplyReport['plan']>()
    const plan = (seen: SavedTables) => {
      const fresh = freshSteps(rules, seen)
      if (fresh !== undefined) {
        plans.set(seen.family, 'fresh')
        return fresh
      }
      const desired = desiredState(rules, seen.family)
      const steps = planSteps(desired, seen)
      plans.set(seen.family, planOf(desired, { seen, steps }))
      return steps
    }
    const families = await this.#session.familiesFor(this.#backend, rules)
    const done = await this.#session.editByNetlink(this.#backend, families, plan)
    if (done === undefined) return undefined
    this.generation = done[0]?.generation
    for (const { seen, steps } of done) this.#journal.record(this.#backend, seen, steps)
    // Also reports a family in which only rules of an older ruleset were removed.
    const counts = (family: Family) => rulesFor(rules, family).length > 0
    const written = done.filter(({ seen, steps }) => steps.size > 0 || counts(seen.family))
    return overall(written.map(({ seen }) => plans.get(seen.family) ?? 'unchanged'))
  }

  /**
   * Writes all families in parallel. Each family has its own restore program, and the kernel commits table by table.
   */
  async byPrograms(families: readonly Family[], print: ApplyOptions['print']): Promise<ApplyReport['plan']> {
    const job = (family: Family, text?: string) =>
      familyApply(this.#session, this.#journal, this.#backend, this.#rules, family, text)
    this.#jobs.push(...families.map((family) => job(family, print?.(this.#rules, family))))
    const fresh = await settle(
      this.#jobs.map(async (each) => {
        const ok = await each.fresh()
        if (ok) this.#fresh.add(each)
        return ok
      }),
    )
    const rest = this.#jobs.filter((_, index) => fresh[index] === false)
    // An older ruleset may have left rules in a family without new rules.
    const candidates = rest.length === 0 ? [] : await this.#session.familiesFor(this.#backend, this.#rules)
    const emptied = candidates.filter((family) => !families.includes(family)).map((family) => job(family, ''))
    this.#jobs.push(...emptied)
    const plans = await settle([...rest, ...emptied].map((each) => each.reconcile()))
    for (const _ of this.#fresh) plans.push('fresh')
    return overall(plans)
  }

  async rollBack(): Promise<void> {
    if (this.#jobs.length === 0) return this.#journal.rollBack()
    await settle(this.#jobs.map((each) => each.rollBack(this.#fresh.size > 0)))
  }
}
