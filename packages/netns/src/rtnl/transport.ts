import type { Questions } from '../netlink/channel.ts'

/**
 * Way in which operations on links, addresses and routes reach the kernel: a netlink socket, or the npm package
 * `netlink`.
 */
export interface Transport {
  /** Calls an operation and gives it a netlink channel for its requests. */
  perform<T>(operation: (channel: Questions) => T): Promise<T>
  close(): void
}
