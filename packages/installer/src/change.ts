import type { Health } from './health.ts'

/** Something that would be written or removed. */
export interface PlannedChange {
  readonly artefact: Health['artefact']
  readonly action: 'create' | 'replace' | 'chmod' | 'convert' | 'remove'
  readonly path: string
  readonly reason: string
  /** The lines that change; secrets are hidden. Absent for binaries and permissions. */
  readonly diff?: ReadonlyArray<{ readonly op: ' ' | '-' | '+'; readonly text: string }>
}

/** A planned change that can be carried out. */
export interface Change extends PlannedChange {
  /** The files of the net folder that it writes, by name; `undefined` for one that it removes. */
  readonly texts?: ReadonlyMap<string, string | undefined>
  apply(signal?: AbortSignal): void | Promise<void>
}

/** The data of a change without the means to carry it out. */
export function describeChange(change: Change): PlannedChange {
  const { artefact, action, path, reason, diff } = change
  return { artefact, action, path, reason, ...(diff === undefined ? {} : { diff }) }
}
