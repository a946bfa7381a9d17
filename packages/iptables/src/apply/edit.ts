import type { Backend } from '../run/backend.ts'
import type { Session } from '../session/session.ts'
import type { Accepted } from '../steps/write-until-accepted.ts'
import { editByPrograms } from './edit-by-programs.ts'
import type { Edit } from './edit-job.ts'

/** Reads rules, plans the changes, and writes them. Repeats this after another program's write. */
export async function edit(session: Session, backend: Backend, job: Edit): Promise<Accepted[]> {
  const { families, plan, journal, uncancelled } = job
  const how = uncancelled === true ? ({ uncancelled } as const) : {}
  const done = await session.editByNetlink(backend, families, plan, how)
  if (done !== undefined) {
    for (const { seen, steps } of done) journal?.record(backend, seen, steps)
    return done
  }
  return editByPrograms(session, backend, job, how)
}
