import type { Questions } from '../netlink/channel.ts'

/** Connection to the kernel: a netlink socket, or the npm package `netlink`. */
export interface Transport {
  /** Calls an operation with a netlink channel for its requests. */
  perform<T>(operation: (channel: Questions) => T): Promise<T>
  close(): void
}
