import type { Netns } from '@cni/netns'

/** ztunnel that serves a node: it gets the redirected traffic of the node's pods. */
export interface NodeZtunnel {
  readonly uid: string
  /** Name of the ztunnel pod for messages, such as `istio-system/ztunnel-x7f2k`. */
  readonly name: string
  /** IPv4 address of ztunnel. */
  readonly ip: string
  /** Open network namespace of ztunnel. The caller opens the namespace, and closes it after the call. */
  readonly netns: Netns
  /** True if DNS queries of pods in the mesh go to ztunnel. */
  readonly dnsCapture: boolean
}

/** Pod to enrol: its traffic is redirected to ztunnel. */
export interface NodePod {
  readonly uid: string
  /** IP addresses of the pod to enrol. IPv6 addresses are ignored: node-level redirection supports only IPv4. */
  readonly addresses: readonly string[]
  /** Network namespace of the pod, opened by the caller. Only redirection by eBPF needs it. */
  readonly netns?: Netns | undefined
}

/** Changes and warnings of a call, as sentences for the log. */
export interface KernelReport {
  readonly changed: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Node-level redirection in the kernel of a node, by iptables or eBPF.
 *
 * Each call succeeds as a whole or rolls back, and may be repeated. A problem of the node or of ztunnel rejects with a
 * `NodeLevelError`. Other errors come from the packages that call the kernel. Disposal closes handles and leaves the
 * kernel unchanged.
 */
export interface KernelSide extends Disposable {
  /**
   * Directs the traffic of the node's pods to a ztunnel. May be called again for the same ztunnel or a new one. Pods
   * stay in the mesh, and their traffic never bypasses ztunnel.
   */
  start(ztunnel: NodeZtunnel): Promise<KernelReport>
  /**
   * Pauses the redirection until the next {@link KernelSide.start}, because no ztunnel is ready. Pods stay in the mesh,
   * and open connections continue.
   */
  pause(): Promise<KernelReport>
  /**
   * Redirects the traffic of a pod's given IPv4 addresses to ztunnel. Stops the redirection of the pod's former
   * addresses. Rejects with `NO_ZTUNNEL` before the first ztunnel has started.
   */
  addPod(pod: NodePod): Promise<KernelReport>
  /**
   * Stops the redirection of a pod, also of addresses that another process enrolled. Resolves to the removed addresses.
   */
  removePod(uid: string): Promise<readonly string[]>
  /** Stops the redirection of all pods except the given ones. Resolves to the removed addresses. */
  retainPods(uids: ReadonlySet<string>): Promise<readonly string[]>
  /** Lists the redirected addresses in the kernel. `uid` is `undefined` for an address that another program added. */
  listPods(): Promise<readonly { readonly address: string; readonly uid: string | undefined }[]>
  /**
   * Describes differences between the kernel and the rules, routes, sets or programs that the redirection needs. Only
   * reads.
   */
  drift(): Promise<readonly string[]>
  /**
   * Corrects the differences that {@link KernelSide.drift} describes. If ztunnel has died, corrects only the node, not
   * ztunnel's namespace.
   */
  heal(): Promise<KernelReport>
  /**
   * Removes all objects of the redirection from the node and from ztunnel's namespace, also objects that another
   * process created.
   */
  stop(): Promise<void>
}

/** Redirected address of a pod, see {@link KernelSide.listPods}. */
export type EnrolledAddress = Awaited<ReturnType<KernelSide['listPods']>>[number]
