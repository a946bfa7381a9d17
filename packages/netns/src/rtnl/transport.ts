import type { RequestChannel } from '../netlink/channel.ts'

/** Connection to the kernel: a netlink socket, or the npm package `netlink`. */
export interface Transport {
  /** Calls an operation with a netlink channel for its requests. */
  perform<T>(operation: (channel: RequestChannel) => T): Promise<T>
  close(): void
}
