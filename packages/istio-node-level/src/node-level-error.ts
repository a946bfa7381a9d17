const brand = Symbol.for('cni.NodeLevelError')

/**
 * - `NO_ZTUNNEL`: none was started that a pod could be led to
 * - `NO_ROUTE`: the node has no route of its own to an address, or none to a veth where it needs one
 * - `BRIDGE`: an address is behind a bridge, on which packets are not routed
 * - `NO_TUNNEL`: the kernel knows no tunnels of that kind
 * - `NO_PORT`: no UDP port is free for them
 * - `FOREIGN`: somebody else uses what would have to be ours
 * - `ADDRESS`: it cannot be that of a pod in the mesh
 * - `NO_ADDRESS`: the node has no address of IPv4 that pods can use
 * - `NO_VETH`: an address is not on a veth that leads to the node
 * - `NO_SK_ASSIGN`: the kernel cannot do what needs it
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

/** What keeps a node, or a pod, from being redirected on the node level; the message says what to do. */
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

/** Is it a {@link NodeLevelError}, also one of another copy of this package? */
export function isNodeLevelError(error: unknown): error is NodeLevelError {
  return error instanceof Error && brand in error
}
