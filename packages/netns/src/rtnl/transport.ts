import type { Questions } from '../netlink/channel.ts'

/** Connection of the rtnl operations to the kernel. */
export interface Transport {
  /** Calls an operation with a channel for its requests. */
  perform<T>(operation: (channel: Questions) => T): Promise<T>
  close(): void
}
