import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../run/session.ts'
import { reverted, type Write } from '../state/revert.ts'
import { rewriteFamily } from './rewrite-family.ts'
import { settle } from './settle.ts'

/** What one call wrote, in order, per back end and family; the way back is made from it. */
export class Journal {
  readonly #session: Session
  readonly #kept = new Map<string, { backend: Backend; family: Family; writes: Write[] }>()

  constructor(session: Session) {
    this.#session = session
  }

  /** The families in which something was written. */
  get families(): Family[] {
    return [...new Set([...this.#kept.values()].map(({ family }) => family))].sort()
  }

  /** Writes a text that was planned on `before`, and keeps both; of a write that failed, what it had committed. */
  async write(backend: Backend, before: SavedTables, text: string): Promise<void> {
    const { family } = before
    const keep = (committed: string) => {
      if (committed === '') return
      const entry = this.#kept.get(`${backend.kind} ${family}`) ?? { backend, family, writes: [] }
      this.#kept.set(`${backend.kind} ${family}`, entry)
      entry.writes.push({ before, text: committed })
    }
    try {
      await this.#session.restore(backend, family, text)
    } catch (error) {
      if (error instanceof RestoreError && error.ran) keep(committedPart(text, error.line))
      throw error
    }
    keep(text)
  }

  /** What a family holds now without the writes of this journal. */
  without(backend: Backend, now: SavedTables): SavedTables {
    const writes = this.#kept.get(`${backend.kind} ${now.family}`)?.writes ?? []
    return writes.toReversed().reduce(reverted, now)
  }

  /** Takes back everything, also after an abort: per family one read and one write. */
  async takeBack(): Promise<void> {
    const all = [...this.#kept.values()]
    await settle(
      all.map(({ backend, family }) =>
        rewriteFamily(this.#session, backend, family, (now) => this.without(backend, now)),
      ),
    )
  }
}

// internal

/** The tables of a text that were committed before a line was refused; all when the program did not say. */
function committedPart(text: string, line: number | undefined): string {
  if (line === undefined) return text
  const lines = text.split('\n').slice(0, line - 1)
  return lines.slice(0, lines.lastIndexOf('COMMIT') + 1).join('\n')
}
