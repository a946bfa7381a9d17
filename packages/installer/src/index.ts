/**
 * Keeps a chained CNI plugin installed on a node: binaries, network configuration and kubeconfig, watched and healed.
 *
 * @example
 * ```ts
 * import { installer } from '@cni/installer'
 *
 * const redirect = installer({
 *   plugin: { type: 'tcp-redirect', port: 15001 },
 *   netDir: '/etc/cni/net.d',
 *   binDirs: ['/opt/cni/bin'],
 *   sourceDir: '/usr/lib/tcp-redirect',
 *   observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
 * })
 * const stop = new AbortController()
 * process.once('SIGTERM', () => stop.abort())
 * await redirect.run({ signal: stop.signal })
 * await redirect.uninstall()
 * ```
 *
 * @module
 */

export type { Need } from '@cni/skel/uninstalled'
// Network configurations as values
export { type Candidate, type Candidates, listCandidates, type NetFolder, type ReadFile } from './conf/candidate.ts'
export {
  choosePrimary,
  HOLD_MS,
  type PrimaryChoice,
  type PrimaryMemory,
  type PrimaryRules,
} from './conf/choose-primary.ts'
export { alternativeNames, conflistName, isConfName, standaloneName } from './conf/conf-name.ts'
export { formatPath, type NestedEntries, type NestedEntry, nestedEntries } from './conf/delegates.ts'
export { type DiffLine, diffLines, formatDiff } from './conf/diff.ts'
export { countEntries, hasEntry, insertEntry, removeEntry, sameDocument, standaloneText } from './conf/entry.ts'
export { apiServerUrl, type KubeconfigContent, redactKubeconfig, renderKubeconfig } from './conf/kubeconfig.ts'
export {
  judgeReadings,
  type RuntimeName,
  type RuntimeReading,
  readingsFor,
  runtimeReadings,
} from './conf/runtime-readings.ts'
// The installer
export type { Artefact, ChangeAction, InstallEvent, InstallObserver } from './events.ts'
export type { Health, HealthState, InstallStatus } from './health.ts'
// Errors
export { InstallError, type InstallErrorCode, isInstallError } from './install-error.ts'
export { type Installer, installer } from './installer.ts'
export type { InstallerOptions, InstallMode, KubeconfigOptions } from './options.ts'
export type { PlannedChange } from './run/change.ts'
export type { InstallPlan } from './run/dry-run.ts'
export { binaryOrder } from './run/plan-binaries.ts'
export type { UninstallReport } from './run/uninstall.ts'
