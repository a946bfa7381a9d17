/** One attachment of a container to a network. The runtime passes it to every plugin of the list. */
export interface Attachment {
  readonly containerID: string
  /** Path of the container's namespace. For DEL it may be empty if the namespace is gone. */
  readonly netns: string
  readonly ifName: string
  /** `CNI_ARGS`. */
  readonly args?: ReadonlyArray<readonly [string, string]>
  /** Values that the runtime passes to plugins that declare the capability. */
  readonly capabilityArgs?: Readonly<Record<string, unknown>>
}

/** An attachment in the cache. */
export interface CachedAttachment extends Attachment {
  readonly network: string
  /** Text of the list with which it was added. */
  readonly config: string
}
