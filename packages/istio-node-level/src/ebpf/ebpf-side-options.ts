import type { IptablesOptions } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'

/**
 * Options of `ebpfSide`, the node-level redirection by eBPF. The options `backend` and `programs` apply only to the
 * variant `mark`.
 */
export interface EbpfSideOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /**
   * Folder of the pinned eBPF maps and programs. Mounts a bpf file system if the folder is not in one already. Default:
   * `/sys/fs/bpf/ambient`.
   */
  readonly pins?: string | undefined
  /**
   * Variant of the eBPF programs in ztunnel's namespace.
   * - `tproxy`: a program assigns packets to ztunnel's sockets.
   * - `mark`: a program marks packets for TPROXY rules.
   *
   * Default: `tproxy` if the kernel supports it.
   */
  readonly variant?: 'tproxy' | 'mark' | undefined
  /**
   * Map from sysctl names to the values to restore when the redirection is removed. Default: the values that the node
   * has when its first ztunnel starts.
   */
  readonly settings?: ReadonlyMap<string, string> | undefined
}
