import { closeSync } from 'node:fs'

/** What came with one read: in a socket of packets one packet, in a stream some bytes. Dispose of it. */
export interface UnixMessage extends Disposable {
  /** A copy of their own. */
  readonly bytes: Buffer
  /**
   * Copies of the sender's descriptors, close-on-exec. They are closed when the message is disposed of, except those that
   * were taken. A descriptor can be anything: look what it is before you use it.
   */
  readonly fds: readonly number[]
  /** How many bytes of the packet did not fit into `maxBytes`, and are gone. */
  readonly bytesLost: number
  /** Descriptors came that were more than `maxFds` or than this process may open: the kernel closed them. */
  readonly fdsLost: boolean
  /** The first descriptor of `fds`: from now on yours to close. `undefined` when there is none left. */
  takeFd(): number | undefined
}

/** A message that has come. */
export function messageOf(bytes: Buffer, fds: number[], bytesLost: number, fdsLost: boolean): UnixMessage {
  return {
    bytes,
    fds,
    bytesLost,
    fdsLost,
    takeFd: () => fds.shift(),
    [Symbol.dispose]() {
      for (const fd of fds.splice(0)) closeSync(fd)
    },
  }
}
