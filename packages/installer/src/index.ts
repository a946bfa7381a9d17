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

export type { PlannedChange } from './change.ts'
// Exports for network configurations and kubeconfigs: functions on texts, which never write to the node
export { isConfName } from './conf/conf-name.ts'
export { formatDiff } from './conf/diff.ts'
export { apiServerUrl, renderKubeconfig } from './conf/kubeconfig.ts'
export { type EntryPlace, placeEntry } from './conf/place-entry.ts'
export { judgeReadings, type RuntimeReading, runtimeReadings } from './conf/runtime-readings.ts'
// Exports for asking the container runtime if it runs the plugin
export { pluginInRuntime } from './cri/plugin-in-runtime.ts'
// Exports for the installer itself, its events and its status
export { eventLines } from './event-lines.ts'
export type { InstallEvent } from './events.ts'
export type { Health, InstallStatus } from './health.ts'
// Errors
export { InstallError, isInstallError } from './install-error.ts'
export { type Installer, installer } from './installer.ts'
export type { InstallerOptions } from './options.ts'
export type { InstallPlan } from './run/dry-run.ts'
export type { UninstallReport } from './run/uninstall.ts'
