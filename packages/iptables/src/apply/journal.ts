import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../session/session.ts'
import { settle } from '../settle.ts'
import { reverted, type Write } from '../state/revert.ts'
import { type Steps, stepsText } from '../steps/steps.ts'
import type { Ledger } from './edit-job.ts'
import { rewrite } from './rewrite.ts'

/** Journal of one call's writes, in order, per back end and family. Can roll the writes back. */
export class Journal implements Ledger {
  readonly #session: Session
  readonly #entries = new Map<string, { backend: Backend; family: Family; writes: Write[] }>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Families in which the call wrote rules. */
  get families(): Family[] {
    return [...new Set([...this.#entries.values()].map(({ family }) => family))].sort()
  }

  /** Writes changes with an iptables program, and records the committed changes for a rollback. */
  async write(backend: Backend, before: SavedTables, steps: Steps): Promise<void> {
    const text = stepsText(steps)
    try {
      await this.#session.restore(backend, before.family, text)
    } catch (error) {
      if (error instanceof RestoreError && error.ran)
        this.record(backend, before, committedPart(steps, text, error.line))
      throw error
    }
    this.record(backend, before, steps)
  }

  /** Records changes that netlink has already written, with the rules from before the write. */
  record(backend: Backend, before: SavedTables, steps: Steps): void {
    if (steps.size === 0) return
    const { family } = before
    const entry = this.#entries.get(`${backend.kind} ${family}`) ?? { backend, family, writes: [] }
    this.#entries.set(`${backend.kind} ${family}`, entry)
    entry.writes.push({ before, steps })
  }

  /** Computes the rules that a family would have without the writes in this journal. */
  without(backend: Backend, now: SavedTables): SavedTables {
    const writes = this.#entries.get(`${backend.kind} ${now.family}`)?.writes ?? []
    return writes.toReversed().reduce(reverted, now)
  }

  /** Rolls back all recorded writes, even after the caller's signal has aborted. */
  async rollBack(): Promise<void> {
    const all = [...this.#entries.values()]
    if (all.length === 0) return
    const backends = new Set(all.map(({ backend }) => backend))
    await settle(
      [...backends].map((backend) => {
        const families = all.flatMap((each) => (each.backend === backend ? [each.family] : []))
        return rewrite(this.#session, backend, families, (now) => this.without(backend, now))
      }),
    )
  }
}

// internal

/** Selects the changes that an iptables program committed before it reached the refused line. */
function committedPart(steps: Steps, text: string, line: number | undefined): Steps {
  if (line === undefined) return steps
  const before = text.split('\n').slice(0, line - 1)
  const commits = before.filter((each) => each === 'COMMIT').length
  return new Map([...steps].slice(0, commits))
}
