import type { IptablesOptions } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'

/** Options of `ebpfSide`. `backend` and `programs` matter where sockets are found by rules. */
export interface EbpfSideOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the one this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /** Folder of a bpf file system, which is mounted above it where there is none. Default: `/sys/fs/bpf/ambient`. */
  readonly pins?: string | undefined
  /** Sockets of ztunnel are assigned by a program, or found by rules for its marks. Default: what the kernel can. */
  readonly variant?: 'tproxy' | 'mark' | undefined
  /** Settings of the node before it was ever redirected. Default: as they are when the first ztunnel is started. */
  readonly settings?: ReadonlyMap<string, string> | undefined
}
