import { closeSync } from 'node:fs'

/** Message of a unix socket: a packet or bytes of a stream. Dispose of the message to close its descriptors. */
export interface UnixMessage extends Disposable {
  /** Copy of the message's bytes. */
  readonly bytes: Buffer
  /**
   * Copies of the sender's descriptors, close-on-exec. Disposing of the message closes them, except descriptors taken
   * with `takeFd`. A descriptor can be of any kind: check it before use.
   */
  readonly fds: readonly number[]
  /** Number of lost bytes: the bytes of the packet beyond `maxBytes`. */
  readonly bytesLost: number
  /**
   * True if the kernel closed some of the sender's descriptors. The descriptors exceeded `maxFds` or the limit of this
   * process.
   */
  readonly fdsLost: boolean
  /**
   * Takes the first descriptor out of `fds`; the caller must close it. Returns `undefined` if no descriptor is left.
   */
  takeFd(): number | undefined
}

/** Creates the object for a message received through a unix socket. */
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
