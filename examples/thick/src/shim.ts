import { join } from 'node:path'
import type { ShimOptions } from '@cni/skel/daemon'
import { CniError, ErrorCode } from '@cni/types'

/** Default folder for the who-is daemon's sockets and state. */
export const FOLDER = '/run/who-is'

/** Path of the Unix socket on which the who-is daemon accepts calls of shims. */
export const socketIn = (folder: string): string => join(folder, 'cni.sock')

/** Options of the shim, the executable that forwards calls to the who-is daemon. */
export const SHIM: ShimOptions = {
  name: 'who-is',
  about: 'Remembers which pod has which address: the executable before its daemon.',
  socket({ socket = socketIn(FOLDER) }) {
    if (typeof socket === 'string') return socket
    throw new CniError(ErrorCode.invalidNetworkConfig, `socket: expected a string, got ${JSON.stringify(socket)}`)
  },
  // A longer wait for the daemon could block the creation of other pods.
  readyTimeout: { ADD: 10_000 },
}
