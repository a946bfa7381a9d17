/**
 * Attachment of one container to one network. The runtime passes the attachment's data to every plugin of the network's
 * list.
 */
export interface Attachment {
  readonly containerID: string
  /** Path of the container's network namespace. For DEL the path may be empty if the namespace no longer exists. */
  readonly netns: string
  readonly ifName: string
  /** Keys and values for the plugins' environment variable `CNI_ARGS`. */
  readonly args?: ReadonlyArray<readonly [string, string]>
  /**
   * Map from a capability, such as `portMappings`, to its value. A plugin gets a value only if its configuration
   * declares the capability.
   */
  readonly capabilityArgs?: Readonly<Record<string, unknown>>
}

/** Attachment of a container to a network, as read from the cache. */
export interface CachedAttachment extends Attachment {
  readonly network: string
  /** Text of the network configuration list that the runtime used for the ADD. */
  readonly config: string
}
