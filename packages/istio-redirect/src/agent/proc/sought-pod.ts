/** Pod whose network namespace the agent searches for. */
export interface SoughtPod {
  readonly addresses: readonly string[]
  /** Key (`dev:ino`) of the network namespace that the agent holds open for the pod. */
  readonly held?: string | undefined
}

/** Map from keys of network namespaces that the agent holds open to UIDs of pods. */
export type Holders = ReadonlyMap<string, string>
