import type { RuntimeReading } from './conf/runtime-readings.ts'

/** How one file is. */
export interface Health {
  /** The step of a pass, in this order: who keeps the node, and the things that are installed. */
  readonly artefact: 'claim' | 'binary' | 'kubeconfig' | 'conflist'
  readonly path: string
  /**
   * - `ok`: in place
   * - `drift`: missing, or not as it should be
   * - `waiting`: another program or step has to act first
   * - `failed`: the step failed
   * - `skipped`: in a binary folder that cannot be written, while another one has everything
   */
  readonly state: 'ok' | 'drift' | 'waiting' | 'failed' | 'skipped'
  /** Why it is not `ok`. */
  readonly reason?: string
}

/** How the installation is. */
export interface InstallStatus {
  /** Whether everything is `ok` or `skipped`. */
  readonly ready: boolean
  /** The first reason why not. */
  readonly reason?: string
  /** The network configuration that the plugin belongs to. */
  readonly primary?: string
  readonly artefacts: readonly Health[]
  /** What each runtime does with the net folder; absent in standalone mode, and before the folder was read. */
  readonly runtimes?: readonly RuntimeReading[]
}

/** The status that follows from the health of each file. */
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

/** Whether it keeps the installation from being ready. */
export const isBad = ({ state }: Health): boolean => state !== 'ok' && state !== 'skipped'
