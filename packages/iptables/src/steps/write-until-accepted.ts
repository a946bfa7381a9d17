import type { SavedTables } from '../parse/saved-tables.ts'
import { RestoreError } from '../run/failure.ts'
import { type Steps, stepsText } from './steps.ts'

/** What is to be done to a family, and what it held when that was planned. */
export interface Planned {
  readonly seen: SavedTables
  readonly steps: Steps
}

/** One optimistic write: it is planned on what was read, and holds only while nobody else writes. */
export interface OptimisticWrite {
  readonly first: Planned
  /** Reads and plans once more. */
  read(): Promise<Planned>
  write(planned: Planned): Promise<void>
  /** Told before it is read again. */
  refused(attempt: number): void
  /** Give up when the same is planned again: then no one else changed what was refused. */
  readonly stopAtSame: boolean
}

/** What was written in the end; nothing when there are no steps. */
export interface Accepted extends Planned {
  /** 1 unless others wrote meanwhile. */
  readonly attempts: number
  /** Of nf_tables, when it was read; `undefined` where programs did it. */
  readonly generation?: number | undefined
}

/**
 * Writes what was planned; when a line of the text is refused because someone else wrote between our read and our write,
 * once more from the start, three times in all. The last refusal is thrown.
 */
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
      if (job.stopAtSame && stepsText(planned.steps) === last) throw error
    }
  }
}

// internal

const maxAttempts = 3
