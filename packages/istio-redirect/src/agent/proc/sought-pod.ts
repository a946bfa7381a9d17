/** Pod whose namespace is searched. */
export interface SoughtPod {
  readonly addresses: readonly string[]
  /** Key (`dev:ino`) of the namespace that is held for the pod. The namespace must be open. */
  readonly held?: string | undefined
}

/**
 * UIDs of the pods that hold namespaces, by `dev:ino`. No other pod gets such a namespace. The namespaces must be open.
 */
export type Holders = ReadonlyMap<string, string>
