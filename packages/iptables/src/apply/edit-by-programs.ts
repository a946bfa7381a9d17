import type { Backend } from '../run/backend.ts'
import type { Uncancelled } from '../run/session-options.ts'
import type { Session } from '../session/session.ts'
import { settle } from '../settle.ts'
import { stepsText } from '../steps/steps.ts'
import { type Accepted, writeUntilAccepted } from '../steps/write-until-accepted.ts'
import type { Edit } from './edit-job.ts'

/**
 * Changes rules with the iptables programs instead of netlink. Reads and writes each family with programs of its own.
 */
export async function editByPrograms(
  session: Session,
  backend: Backend,
  { families, plan, journal, stopIfUnchanged = false }: Edit,
  how: Uncancelled,
): Promise<Accepted[]> {
  // Reads with the iptables programs, because reads and writes must spell each rule equally.
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
      stopIfUnchanged,
    })
  })
  return settle(writes)
}
