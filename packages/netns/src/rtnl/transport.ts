import type { Questions } from '../netlink/channel.ts'

/** How the operations reach the kernel. */
export interface Transport {
  /** Calls an operation with what it asks its questions of. */
  perform<T>(operation: (channel: Questions) => T): Promise<T>
  close(): void
}
