import type { Health } from './health.ts'

/** A planned write or removal of one file. */
export interface PlannedChange {
  readonly artefact: Health['artefact']
  readonly action: 'create' | 'replace' | 'chmod' | 'convert' | 'remove'
  readonly path: string
  readonly reason: string
  /**
   * Lines that the change adds and removes, with secrets hidden. Absent for binaries and for changes of permissions.
   */
  readonly diff?: ReadonlyArray<{ readonly op: ' ' | '-' | '+'; readonly text: string }>
}

/** A planned change of a file, with the function that applies the change. */
export interface Change extends PlannedChange {
  /** Texts that the change writes, by file name. `undefined` stands for a removed file. */
  readonly texts?: ReadonlyMap<string, string | undefined>
  apply(signal?: AbortSignal): void | Promise<void>
}

/** Returns the data of a planned change, without the function that applies the change. */
export function describeChange(change: Change): PlannedChange {
  const { artefact, action, path, reason, diff } = change
  return { artefact, action, path, reason, ...(diff === undefined ? {} : { diff }) }
}
