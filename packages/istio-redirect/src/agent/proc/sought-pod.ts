/** Pod whose network namespace the agent searches for. */
export interface SoughtPod {
  readonly addresses: readonly string[]
  /** Key (`dev:ino`) of the network namespace that the agent holds open for the pod. */
  readonly held?: string | undefined
}

/** UIDs of pods by the key of the namespace that the agent holds open. */
export type Holders = ReadonlyMap<string, string>
