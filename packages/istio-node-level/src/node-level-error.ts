const brand = Symbol.for('cni.NodeLevelError')

/**
 * Code of a {@link NodeLevelError}.
 * - `NO_ZTUNNEL`: no ztunnel has started yet
 * - `NO_ROUTE`: an address has no host route, or the route has no veth
 * - `BRIDGE`: an address is behind a bridge, which does not route packets
 * - `NO_TUNNEL`: the kernel does not support the configured tunnel type
 * - `NO_PORT`: no UDP port is free for the tunnels
 * - `FOREIGN`: another program uses a reserved name or table
 * - `ADDRESS`: a pod in the mesh cannot have this address
 * - `NO_ADDRESS`: the node has no IPv4 address that pods can use
 * - `NO_VETH`: an address is not on a veth that leads to the node
 * - `NO_SK_ASSIGN`: the kernel lacks the required eBPF helper `sk_assign`
 */
export type NodeLevelErrorCode =
  | 'NO_ZTUNNEL'
  | 'NO_ROUTE'
  | 'BRIDGE'
  | 'NO_TUNNEL'
  | 'NO_PORT'
  | 'FOREIGN'
  | 'ADDRESS'
  | 'NO_ADDRESS'
  | 'NO_VETH'
  | 'NO_SK_ASSIGN'

/** Problem that prevents node-level redirection of a node or a pod. The message says what to do. */
export class NodeLevelError extends Error {
  readonly [brand] = true
  readonly code: NodeLevelErrorCode

  constructor(code: NodeLevelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static {
    NodeLevelError.prototype.name = 'NodeLevelError'
  }
}

/** True for a {@link NodeLevelError}. Unlike `instanceof`, also recognises errors of another copy of this package. */
export function isNodeLevelError(error: unknown): error is NodeLevelError {
  return error instanceof Error && brand in error
}
