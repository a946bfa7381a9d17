import type { IptablesOptions } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'

/** Options of `ebpfSide`. `backend` and `programs` are only used in the variant `mark`. */
export interface EbpfSideOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /**
   * Folder of the pins, in a bpf file system. A bpf file system is mounted there if none is. Default:
   * `/sys/fs/bpf/ambient`.
   */
  readonly pins?: string | undefined
  /**
   * Variant. `tproxy`: a program assigns packets to ztunnel's sockets. `mark`: rules find the sockets by marks. Default:
   * `tproxy` if the kernel supports it.
   */
  readonly variant?: 'tproxy' | 'mark' | undefined
  /** Settings of the node before any redirection. Default: the settings when the first ztunnel starts. */
  readonly settings?: ReadonlyMap<string, string> | undefined
}
