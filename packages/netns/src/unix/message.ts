import { closeSync } from 'node:fs'

/** Result of one read: a packet, or in a stream some bytes. Dispose of it. */
export interface UnixMessage extends Disposable {
  /** Copy of the message's bytes. */
  readonly bytes: Buffer
  /**
   * Copies of the sender's descriptors, close-on-exec. Disposing of the message closes them, except descriptors taken
   * with `takeFd`. A descriptor can be of any kind: check it before use.
   */
  readonly fds: readonly number[]
  /** Bytes of the packet beyond `maxBytes`, which are lost. */
  readonly bytesLost: number
  /** True if descriptors exceeded `maxFds` or the limit of this process: the kernel closed them. */
  readonly fdsLost: boolean
  /** Takes the first descriptor of `fds`; the caller must close it. `undefined` if none is left. */
  takeFd(): number | undefined
}

/** Creates a received message. */
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
