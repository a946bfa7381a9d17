import type { SavedTables } from '../parse/saved-tables.ts'
import { RestoreError } from '../run/failure.ts'
import { type Steps, stepsText } from './steps.ts'

/** Planned changes for a family, and the current rules from which they were planned. */
export interface Planned {
  readonly seen: SavedTables
  readonly steps: Steps
}

/** Input of `writeUntilAccepted`, which writes planned changes with retries. */
export interface OptimisticWrite {
  readonly first: Planned
  /** Reads the kernel's rules again and plans the changes from them. */
  read(): Promise<Planned>
  write(planned: Planned): Promise<void>
  /** Called after the kernel has refused a plan, before the rules are read again. */
  refused(attempt: number): void
  /** True to stop if the new plan equals the refused plan: no other program has changed the rules. */
  readonly stopIfUnchanged: boolean
}

/** Plan that the kernel has accepted. If the plan contains no changes, nothing was written. */
export interface Accepted extends Planned {
  /** Number of write attempts: 1 unless another program wrote between read and write. */
  readonly attempts: number
  /**
   * Generation of nf_tables (the kernel's change counter) when netlink read the rules; `undefined` if iptables programs
   * read the rules.
   */
  readonly generation?: number | undefined
}

/** Writes planned changes. Reads and plans again if another program's change caused a refusal. */
export async function writeUntilAccepted(job: OptimisticWrite): Promise<Accepted> {
  let planned = job.first
  for (let attempt = 1; ; attempt++) {
    try {
      if (planned.steps.size > 0) await job.write(planned)
      return { ...planned, attempts: attempt }
    } catch (error) {
      if (attempt === maxAttempts || !(error instanceof RestoreError) || error.line === undefined) throw error
      job.refused(attempt)
      const last = stepsText(planned.steps)
      planned = await job.read()
      if (job.stopIfUnchanged && stepsText(planned.steps) === last) throw error
    }
  }
}

// internal

const maxAttempts = 3
