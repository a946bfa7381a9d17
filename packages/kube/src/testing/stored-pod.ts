/** Pod of the test API server, with members that the plugin reads. The server also keeps all other members. */
export interface StoredPod {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly [more: string]: unknown
  }
  readonly spec: {
    readonly containers: readonly StoredContainer[]
    readonly initContainers?: readonly StoredContainer[]
    readonly hostNetwork?: boolean
    readonly [more: string]: unknown
  }
  readonly [more: string]: unknown
}

/** Container of a {@link StoredPod}. */
export interface StoredContainer {
  readonly name: string
  readonly image?: string
  readonly args?: readonly string[]
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value?: string; readonly valueFrom?: unknown }>
  readonly securityContext?: { readonly runAsUser?: number; readonly runAsGroup?: number }
  readonly [more: string]: unknown
}
