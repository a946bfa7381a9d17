import type { Artefact } from './events.ts'

/** In place; not there or not as it should be; waiting for somebody else; or our step failed. */
export type HealthState = 'ok' | 'drift' | 'waiting' | 'failed'

/** How one file is. */
export interface Health {
  readonly artefact: Artefact
  readonly path: string
  readonly state: HealthState
  /** Why it is not `ok`. */
  readonly reason?: string
}

/** How the installation is. */
export interface InstallStatus {
  /** Whether everything is `ok`. */
  readonly ready: boolean
  /** The first reason why not. */
  readonly reason?: string
  /** The network configuration that the plugin belongs to. */
  readonly primary?: string
  readonly artefacts: readonly Health[]
}

/** The status that follows from the health of each file. */
export function toStatus(artefacts: readonly Health[], primary: string | undefined): InstallStatus {
  const bad = artefacts.find((one) => one.state !== 'ok')
  return {
    ready: bad === undefined && artefacts.length > 0,
    ...(bad === undefined ? {} : { reason: bad.reason ?? `${bad.path}: ${bad.state}` }),
    ...(primary === undefined ? {} : { primary }),
    artefacts,
  }
}
