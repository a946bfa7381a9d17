import type { RuntimeReading } from './conf/runtime-readings.ts'

/** State of one file. */
export interface Health {
  /** Step of a pass, in this order: the claim, and the installed files. */
  readonly artefact: 'claim' | 'binary' | 'kubeconfig' | 'conflist'
  readonly path: string
  /**
   * State of the file:
   * - `ok`: in place.
   * - `drift`: missing or changed.
   * - `waiting`: another program or step must act first.
   * - `failed`: the step has failed.
   * - `skipped`: the binary folder is not writable, but another one has all files.
   */
  readonly state: 'ok' | 'drift' | 'waiting' | 'failed' | 'skipped'
  /** Reason for another state than `ok`. */
  readonly reason?: string
}

/** State of the installation. */
export interface InstallStatus {
  /** True if everything is `ok` or `skipped`. */
  readonly ready: boolean
  /** First reason for not being ready. */
  readonly reason?: string
  /** Network configuration to which the plugin belongs. */
  readonly primary?: string
  readonly artefacts: readonly Health[]
  /** Behaviour of each runtime for the net folder. Absent in standalone mode, and before the folder was read. */
  readonly runtimes?: readonly RuntimeReading[]
}

/** Derives the status from the health of each file. */
export function toStatus(
  artefacts: readonly Health[],
  primary: string | undefined,
  runtimes?: readonly RuntimeReading[],
): InstallStatus {
  const bad = artefacts.find(isBad)
  return {
    ready: bad === undefined && artefacts.length > 0,
    ...(bad === undefined ? {} : { reason: bad.reason ?? `${bad.path}: ${bad.state}` }),
    ...(primary === undefined ? {} : { primary }),
    artefacts,
    ...(runtimes === undefined ? {} : { runtimes }),
  }
}

/** True if the file prevents the installation from being ready. */
export const isBad = ({ state }: Health): boolean => state !== 'ok' && state !== 'skipped'
