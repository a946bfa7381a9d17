import type { ShimOptions } from '@cni/skel/daemon'
import { CniError, ErrorCode } from '@cni/types'

/** Path of the Unix socket on which the plugin's daemon accepts calls of the shim. */
export const SOCKET = '/run/@NAME@/cni.sock'

/** Options of the shim, which forwards each call to the plugin's daemon. */
export const SHIM: ShimOptions = {
  name: '@NAME@',
  about: 'The executable before its daemon.',
  socket({ socket = SOCKET }) {
    if (typeof socket === 'string') return socket
    throw new CniError(ErrorCode.invalidNetworkConfig, `socket: expected a string, got ${JSON.stringify(socket)}`)
  },
  // ADD waits for the daemon, because the first pods may start before the daemon.
  readyTimeout: { ADD: 10_000 },
}
