/** Kubernetes pod of a container, as the runtime passes it in `CNI_ARGS`. */
export interface K8sArgs {
  readonly namespace: string
  readonly name: string
  /** Uid of the Kubernetes pod. Runtimes pass the uid since containerd 1.5 and CRI-O 1.20. */
  readonly uid?: string
  readonly infraContainerID?: string
}

/**
 * Reads the pod of a container from `CNI_ARGS`. `undefined` if the pod's namespace or name is missing.
 *
 * @example
 * ```ts
 * k8sArgs(parseCniArgs('K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0')) // { namespace: 'default', name: 'web-0' }
 * ```
 */
export function k8sArgs(args: ReadonlyMap<string, string>): K8sArgs | undefined {
  const namespace = args.get('K8S_POD_NAMESPACE')
  const name = args.get('K8S_POD_NAME')
  if (!namespace || !name) return undefined
  const uid = args.get('K8S_POD_UID')
  const infraContainerID = args.get('K8S_POD_INFRA_CONTAINER_ID')
  return { namespace, name, ...(uid ? { uid } : {}), ...(infraContainerID ? { infraContainerID } : {}) }
}
