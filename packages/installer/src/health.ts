import type { RuntimeReading } from './conf/runtime-readings.ts'

/** State of one file that the installer keeps in place. */
export interface Health {
  /**
   * Installation step to which the file belongs. The steps run in the order of the values. `claim` is the file that
   * several installers share.
   */
  readonly artefact: 'claim' | 'binary' | 'kubeconfig' | 'conflist'
  readonly path: string
  /**
   * State of the file:
   * - `ok`: in place.
   * - `drift`: missing or changed.
   * - `waiting`: another program or another step must act first.
   * - `failed`: the step has failed.
   * - `skipped`: the folder for binaries is not writable, but another folder for binaries has all files.
   */
  readonly state: 'ok' | 'drift' | 'waiting' | 'failed' | 'skipped'
  /** Reason for the file's state, if the state is not `ok`. */
  readonly reason?: string
}

/** State of the plugin's installation on the node. */
export interface InstallStatus {
  /** True if every file is `ok` or `skipped`. */
  readonly ready: boolean
  /** First reason why the installation is not ready. */
  readonly reason?: string
  /** Name of the primary configuration file, to which the installer adds the plugin. */
  readonly primary?: string
  readonly artefacts: readonly Health[]
  /** Network that each container runtime chooses. Absent in standalone mode, and before the first check. */
  readonly runtimes?: readonly RuntimeReading[]
}

/** Computes the status of the installation from the state of each file. */
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

/** True if the state of a file prevents the installation from being ready. */
export const isBad = ({ state }: Health): boolean => state !== 'ok' && state !== 'skipped'
