import type { IptablesOptions } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'

/**
 * Options of `ebpfSide`, the node-level redirection by eBPF. The options `backend` and `programs` apply only to the
 * variant `mark`, because no other variant writes iptables rules.
 */
export interface EbpfSideOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /**
   * Folder of the pinned eBPF maps and programs, inside a bpf file system. If the path is outside of any bpf file
   * system, a bpf file system is mounted. Default: `/sys/fs/bpf/ambient`.
   */
  readonly pins?: string | undefined
  /**
   * Variant of the eBPF programs in ztunnel's namespace.
   * `tproxy`: a program assigns packets to ztunnel's sockets. `mark`: a program marks packets, and TPROXY rules find
   * the sockets. Default: `tproxy` if the kernel supports it.
   */
  readonly variant?: 'tproxy' | 'mark' | undefined
  /**
   * Sysctl values that the node gets back when the redirection is removed, by name. Default: the values that the node
   * has when its first ztunnel starts.
   */
  readonly settings?: ReadonlyMap<string, string> | undefined
}
