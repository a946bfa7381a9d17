/**
 * Throw-away node for tests, and stand-ins for programs in its pods. Needs root, Debian's reference plugins and the
 * executable of the plugin under test.
 *
 * @example
 * ```ts
 * import { meshPod } from '@cni/istio-redirect/testing'
 * import { connectFrom, startNode, startProxy } from '@cni/istio-redirect/testing/node'
 *
 * export const standIns = { meshPod, startNode, startProxy, connectFrom }
 * ```
 *
 * @module
 */

export { GATEWAY, LOOPBACK, type Node, type NodeOptions, type PluginRun, startNode } from './node.ts'
export { type Connection, connectFrom, type StandIn, startApp, startProxy } from './stand-ins.ts'
export type { ZtunnelBehaviour } from './ztunnel/behaviour.ts'
export type { ZtunnelPod } from './ztunnel/conversation.ts'
export type { Forwarded } from './ztunnel/listeners.ts'
export { spawnZtunnel } from './ztunnel/spawn-ztunnel.ts'
export { startTransparentZtunnel, type TransparentZtunnel } from './ztunnel/transparent-ztunnel.ts'
export type { Ztunnel } from './ztunnel/ztunnel.ts'
