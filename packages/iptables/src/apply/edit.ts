import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Session, Uncancelled } from '../run/session.ts'
import { settle } from '../settle.ts'
import { type Steps, stepsText } from '../state/steps.ts'
import { type Accepted, writeUntilAccepted } from './write-until-accepted.ts'

/** Has rules written, and keeps what was. */
export interface Ledger {
  /** Has a program write steps that were planned on `before`. */
  write(backend: Backend, before: SavedTables, steps: Steps): Promise<void>
  /** What was written without one. */
  keep(backend: Backend, before: SavedTables, steps: Steps): void
}

/** What is to become of some families of a back end. */
export interface Edit extends Uncancelled {
  readonly families: readonly Family[]
  /** Planned on what a family holds, and again on what it holds then when others write meanwhile. */
  plan(seen: SavedTables): Steps
  readonly journal?: Ledger | undefined
  /** Programs give up when the same is planned again: then no one else changed what was refused. */
  readonly stopAtSame?: boolean
}

/**
 * Reads all families, plans all, then writes them; again when others wrote in between. By netlink that is one transaction,
 * all or nothing. With programs each family, and in it each table, is one of its own: what some of them wrote before
 * another failed is in the journal.
 */
export async function edit(session: Session, backend: Backend, job: Edit): Promise<Accepted[]> {
  const { families, plan, journal, stopAtSame = false, uncancelled } = job
  const how = uncancelled === true ? ({ uncancelled } as const) : {}
  const done = await session.editByNetlink(backend, families, plan, how)
  if (done !== undefined) {
    for (const { seen, steps } of done) journal?.keep(backend, seen, steps)
    return done
  }
  // In the words of those who are to write.
  const programs = { ...backend, netlink: false }
  const planned = (await session.read(programs, families, how)).map((seen) => ({ seen, steps: plan(seen) }))
  const writes = planned.map((first) => {
    const { family } = first.seen
    return writeUntilAccepted({
      first,
      read: async () => {
        const [seen = first.seen] = await session.read(programs, [family], how)
        return { seen, steps: plan(seen) }
      },
      write: ({ seen, steps }) =>
        journal === undefined
          ? session.restore(backend, family, stepsText(steps), how)
          : journal.write(backend, seen, steps),
      refused: (attempt) => session.log?.debug('iptables rules changed meanwhile, reading again', { family, attempt }),
      stopAtSame,
    })
  })
  return settle(writes)
}
