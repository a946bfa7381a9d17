import type { Health } from './health.ts'

/** A planned write or removal. */
export interface PlannedChange {
  readonly artefact: Health['artefact']
  readonly action: 'create' | 'replace' | 'chmod' | 'convert' | 'remove'
  readonly path: string
  readonly reason: string
  /** Changed lines, with secrets hidden. Absent for binaries and permissions. */
  readonly diff?: ReadonlyArray<{ readonly op: ' ' | '-' | '+'; readonly text: string }>
}

/** A planned change that can be applied. */
export interface Change extends PlannedChange {
  /** Files of the net folder that the change writes, by name; `undefined` for a removed one. */
  readonly texts?: ReadonlyMap<string, string | undefined>
  apply(signal?: AbortSignal): void | Promise<void>
}

/** Data of a change without its `apply`. */
export function describeChange(change: Change): PlannedChange {
  const { artefact, action, path, reason, diff } = change
  return { artefact, action, path, reason, ...(diff === undefined ? {} : { diff }) }
}
