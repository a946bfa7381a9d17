/** One attachment of a container to a network: what a runtime says to every plugin of the list. */
export interface Attachment {
  readonly containerID: string
  /** Path of the container's namespace; may be empty for DEL when it is gone. */
  readonly netns: string
  readonly ifName: string
  /** `CNI_ARGS`. */
  readonly args?: ReadonlyArray<readonly [string, string]>
  /** What the runtime offers to plugins that declare the capability. */
  readonly capabilityArgs?: Readonly<Record<string, unknown>>
}

/** An attachment the cache remembers. */
export interface CachedAttachment extends Attachment {
  readonly network: string
  /** The text of the list it was added with. */
  readonly config: string
}
