import type { Netns } from '@cni/netns'

/** The ztunnel that serves a node. */
export interface NodeZtunnel {
  readonly uid: string
  /** For messages: `istio-system/ztunnel-x7f2k`. */
  readonly name: string
  /** Of IPv4. */
  readonly ip: string
  /** Its namespace, opened by whoever calls, who closes it when the call is over. */
  readonly netns: Netns
  /** Queries of pods in the mesh go to it. */
  readonly dnsCapture: boolean
}

/** A pod to bring into the mesh. */
export interface NodePod {
  readonly uid: string
  /** Those of IPv6 are left alone: the mesh of a node is one of IPv4. */
  readonly addresses: readonly string[]
  /** Where a kernel side needs it, to find the pod's links: its namespace, opened by whoever calls. */
  readonly netns?: Netns | undefined
}

/** What a call changed, and what is odd; both in sentences, for the log. Empty: all was as it should be. */
export interface KernelReport {
  readonly changed: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * What the kernel of a node does for node-level redirection, however it does it: by iptables and tunnels, or by eBPF.
 * Calls wait for one another; each happens as a whole or not at all, and may be repeated. Errors are `NodeLevelError`
 * for what is odd about node or ztunnel, with what to do, or those of the packages that talk to the kernel. Disposed of,
 * it lets go of what it has open, and the kernel stays as it is.
 */
export interface KernelSide extends Disposable {
  /**
   * This ztunnel serves the node from now on: the first one, the same again, or another one in its place. What is there is
   * compared, also after a restart, and only what differs is changed; pods stay in the mesh, and are never led past it.
   */
  start(ztunnel: NodeZtunnel): Promise<KernelReport>
  /**
   * No ztunnel is ready: one that still runs keeps what it has open, and nothing new is led to it where the kernel can tell
   * them apart; pods stay in the mesh. Until the next {@link KernelSide.start}.
   */
  pause(): Promise<KernelReport>
  /**
   * Captures the traffic of a pod, on these addresses and no others. Refused (`NO_ZTUNNEL`) before a ztunnel was started:
   * when it has died the traffic of pods is dropped until there is another one, not led past it.
   */
  addPod(pod: NodePod): Promise<KernelReport>
  /** Captures nothing of it any more, also on addresses that nobody remembers; returns them. */
  removePod(uid: string): Promise<readonly string[]>
  /** Captures nothing of other pods than these, nor what somebody else put there; returns the stale addresses. */
  retainPods(uids: ReadonlySet<string>): Promise<readonly string[]>
  /**
   * Addresses that are captured, as the kernel has them; only reads. `uid` is that of the pod, `undefined` for an address
   * that another program added.
   */
  listPods(): Promise<readonly { readonly address: string; readonly uid: string | undefined }[]>
  /** What is not as it was left, in words; only reads. */
  drift(): Promise<readonly string[]>
  /** Puts right what {@link KernelSide.drift} tells, ztunnel's namespace included unless it has died. */
  heal(): Promise<KernelReport>
  /** Takes everything out, whoever put it there, in the namespace of the ztunnel that was started too. */
  stop(): Promise<void>
}

/** An address that is captured, see {@link KernelSide.listPods}. */
export type EnrolledAddress = Awaited<ReturnType<KernelSide['listPods']>>[number]
