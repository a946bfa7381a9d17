/**
 * A thick plugin: a daemon serves the plugin, and a thin executable forwards calls to it.
 *
 * @example
 * ```ts
 * import { definePlugin, pluginMain } from '@cni/skel'
 * import { serveDaemon, shim } from '@cni/skel/daemon'
 *
 * const socket = '/run/greet/greet.sock'
 * const plugin = definePlugin({ name: 'greet', add: (c) => ({ dns: { domain: c.networkName } }) })
 *
 * export async function daemonMain() {
 *   const daemon = await serveDaemon(plugin, { socket })
 *   process.once('SIGTERM', () => void daemon.stop())
 * }
 *
 * export const shimMain = () => pluginMain(shim({ name: 'greet', socket }))
 * ```
 *
 * @module
 */

// Exports for optional requests from a plugin to a daemon
export { askDaemon } from './ask-daemon.ts'
// Daemon
export type { Daemon, DaemonOptions } from './daemon.ts'
export { DaemonError, isDaemonError } from './daemon-error.ts'
export { serveDaemon } from './serve-daemon.ts'
// Exports for the shim, the executable that forwards calls to the daemon
export { type ShimOptions, shim, shimMain } from './shim.ts'
