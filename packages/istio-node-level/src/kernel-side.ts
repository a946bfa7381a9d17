import type { Netns } from '@cni/netns'

/** ztunnel that serves a node. */
export interface NodeZtunnel {
  readonly uid: string
  /** Name for messages, such as `istio-system/ztunnel-x7f2k`. */
  readonly name: string
  /** IPv4 address of ztunnel. */
  readonly ip: string
  /** Network namespace of ztunnel. The caller opens it, and closes it after the call. */
  readonly netns: Netns
  /** True if DNS queries of pods in the mesh go to ztunnel. */
  readonly dnsCapture: boolean
}

/** Pod to enrol. */
export interface NodePod {
  readonly uid: string
  /** Addresses of the pod. IPv6 addresses are ignored: node-level redirection is for IPv4 only. */
  readonly addresses: readonly string[]
  /** Network namespace of the pod, opened by the caller. Some implementations need it to find the pod's links. */
  readonly netns?: Netns | undefined
}

/** Changes and warnings of a call, as sentences for the log. Both are empty if everything was in order. */
export interface KernelReport {
  readonly changed: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Node-level redirection in the kernel of a node, by iptables and tunnels or by eBPF.
 *
 * Calls run one after the other. Each call succeeds as a whole or rolls back, and may be repeated. A problem of the
 * node or of ztunnel is a `NodeLevelError` that says what to do. Other errors come from the packages that call the
 * kernel. Disposal closes handles and leaves the kernel unchanged.
 */
export interface KernelSide extends Disposable {
  /**
   * Makes this ztunnel serve the node: the first ztunnel, the same one again, or a replacement. Compares the node with
   * the plan, also after a restart, and changes only the differences. Pods stay in the mesh, and their traffic never
   * bypasses ztunnel.
   */
  start(ztunnel: NodeZtunnel): Promise<KernelReport>
  /**
   * Declares that no ztunnel is ready, until the next {@link KernelSide.start}. A ztunnel that still runs keeps its
   * open connections. It gets no new ones if the kernel can separate them. Pods stay in the mesh.
   */
  pause(): Promise<KernelReport>
  /**
   * Captures the traffic of a pod on these addresses only. Rejects with `NO_ZTUNNEL` before the first ztunnel has
   * started. After ztunnel has died, the traffic of pods is dropped until there is another ztunnel.
   */
  addPod(pod: NodePod): Promise<KernelReport>
  /** Stops the capture of a pod, also on addresses that this process does not know. Resolves to the addresses. */
  removePod(uid: string): Promise<readonly string[]>
  /**
   * Stops the capture of all other pods, and of addresses that another program added. Resolves to the removed
   * addresses.
   */
  retainPods(uids: ReadonlySet<string>): Promise<readonly string[]>
  /**
   * Lists captured addresses from the kernel. `uid` is the UID of the pod. It is `undefined` for an address that
   * another program added.
   */
  listPods(): Promise<readonly { readonly address: string; readonly uid: string | undefined }[]>
  /** Describes differences from the last applied state. Only reads. */
  drift(): Promise<readonly string[]>
  /** Corrects the differences of {@link KernelSide.drift}, also in ztunnel's namespace unless ztunnel has died. */
  heal(): Promise<KernelReport>
  /** Removes everything from the node and from ztunnel's namespace, also if another process created it. */
  stop(): Promise<void>
}

/** Captured address, see {@link KernelSide.listPods}. */
export type EnrolledAddress = Awaited<ReturnType<KernelSide['listPods']>>[number]
