/** A pod whose namespace is looked for. */
export interface SoughtPod {
  readonly addresses: readonly string[]
  /** The namespace that is held for it, as `dev:ino`. It must be open. */
  readonly held?: string | undefined
}

/** The UIDs of the pods that namespaces are held for, by `dev:ino`: no other pod gets them. They must be open. */
export type Holders = ReadonlyMap<string, string>
