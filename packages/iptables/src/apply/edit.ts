import type { Backend } from '../run/backend.ts'
import type { Session } from '../session/session.ts'
import type { Accepted } from '../steps/write-until-accepted.ts'
import { editByPrograms } from './edit-by-programs.ts'
import type { Edit } from './edit-job.ts'

/**
 * Reads the rules of all families, plans the changes, and writes them. Starts again if another program writes between
 * read and write. Netlink writes the whole edit in one transaction. The iptables programs write each table of each
 * family in a transaction of its own. If one of these transactions fails, the journal records the tables that were
 * already written.
 */
export async function edit(session: Session, backend: Backend, job: Edit): Promise<Accepted[]> {
  const { families, plan, journal, uncancelled } = job
  const how = uncancelled === true ? ({ uncancelled } as const) : {}
  const done = await session.editByNetlink(backend, families, plan, how)
  if (done !== undefined) {
    for (const { seen, steps } of done) journal?.keep(backend, seen, steps)
    return done
  }
  return editByPrograms(session, backend, job, how)
}
