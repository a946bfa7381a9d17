/** Members of a Kubernetes pod object that decide if and how the pod's traffic is redirected. */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
  }
  readonly spec: {
    readonly hostNetwork?: boolean | undefined
    readonly initContainers?: Pod['spec']['containers']
    readonly containers?:
      | readonly {
          readonly name: string
          readonly args?: readonly string[] | undefined
          readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | undefined
          readonly securityContext?:
            | { readonly runAsUser?: number | undefined; readonly runAsGroup?: number | undefined }
            | undefined
        }[]
      | undefined
  }
}
