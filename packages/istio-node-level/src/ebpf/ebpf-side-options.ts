import type { IptablesOptions } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'

/**
 * Options of `ebpfSide`, the node-level redirection by eBPF. Only the variant `mark` uses the options
 * `backend` and `programs`.
 */
export interface EbpfSideOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /**
   * Folder of the pinned eBPF maps and programs, inside a bpf file system. If the path is in no bpf file system, one is
   * mounted. Default: `/sys/fs/bpf/ambient`.
   */
  readonly pins?: string | undefined
  /**
   * Variant of the eBPF programs in ztunnel's namespace.
   * `tproxy`: a program assigns packets to ztunnel's sockets. `mark`: a program marks packets, and TPROXY rules find
   * the sockets. Default: `tproxy` if the kernel supports it.
   */
  readonly variant?: 'tproxy' | 'mark' | undefined
  /**
   * Sysctls of the node, by name, from before any redirection; restored at the end. Default: the sysctls when the first
   * ztunnel starts.
   */
  readonly settings?: ReadonlyMap<string, string> | undefined
}
