/**
 * A throw-away node with a pod network, and stand-ins for what surrounds the plugin in a pod. Needs root, Debian's
 * reference plugins and the executable to try.
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

export {
  GATEWAY,
  LOOPBACK,
  type Node,
  type NodeOptions,
  type PluginRun,
  REFERENCE_PLUGINS,
  startNode,
} from './node.ts'
export {
  type Answer,
  type Connection,
  connectFrom,
  type StandIn,
  startApp,
  startProxy,
  type User,
} from './stand-ins.ts'
