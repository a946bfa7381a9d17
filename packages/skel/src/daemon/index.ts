/**
 * A thick plugin: the same plugin data, served by a long-lived daemon over a unix socket, and a thin executable — the
 * shim — that forwards each call to it.
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

// A daemon that is asked, with a fallback
export { askDaemon } from './ask-daemon.ts'
// The daemon
export type { Daemon, DaemonOptions } from './daemon.ts'
export { DaemonError, isDaemonError } from './daemon-error.ts'
export { serveDaemon } from './serve-daemon.ts'
// The executable
export { type ShimOptions, shim, shimMain } from './shim.ts'
