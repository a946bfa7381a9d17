/** Pod whose network namespace the agent searches for. */
export interface SoughtPod {
  readonly addresses: readonly string[]
  /** Key (`dev:ino`) of the network namespace that the agent holds open for the pod. */
  readonly held?: string | undefined
}

/**
 * UIDs of the pods for which the agent holds network namespaces open, by the key (`dev:ino`) of the namespace. A search
 * never assigns such a namespace to another pod.
 */
export type Holders = ReadonlyMap<string, string>
