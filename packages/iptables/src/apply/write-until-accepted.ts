import { RestoreError } from '../run/failure.ts'

/** One optimistic write: it is planned on what was read, and holds only while nobody else writes. */
export interface OptimisticWrite<Seen> {
  read(): Promise<Seen>
  /** The restore text; `''` writes nothing. */
  plan(seen: Seen): string
  write(seen: Seen, text: string): Promise<void>
  /** Told before it is read again. */
  refused?(attempt: number): void
  /** Give up when the same is planned again: then no one else changed what was refused. */
  readonly stopAtSame?: boolean
}

/** What was written in the end. */
export interface Accepted<Seen> {
  /** What was there before. */
  readonly seen: Seen
  readonly text: string
  /** 1 unless others wrote meanwhile. */
  readonly attempts: number
}

/**
 * Reads, plans and writes; when a line of the text is refused because someone else wrote between our read and our write,
 * once more from the start, three times in all. The last refusal is thrown.
 */
export async function writeUntilAccepted<Seen>(job: OptimisticWrite<Seen>): Promise<Accepted<Seen>> {
  let refusal: RestoreError | undefined
  let last: string | undefined
  for (let attempt = 1; ; attempt++) {
    const seen = await job.read()
    const text = job.plan(seen)
    if (refusal !== undefined && job.stopAtSame === true && text === last) throw refusal
    try {
      if (text !== '') await job.write(seen, text)
      return { seen, text, attempts: attempt }
    } catch (error) {
      if (attempt === maxAttempts || !(error instanceof RestoreError) || error.line === undefined) throw error
      refusal = error
      last = text
      job.refused?.(attempt)
    }
  }
}

// internal

const maxAttempts = 3
