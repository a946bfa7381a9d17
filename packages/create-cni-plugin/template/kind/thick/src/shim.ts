import type { ShimOptions } from '@cni/skel/daemon'
import { CniError, ErrorCode } from '@cni/types'

/** Path of the Unix socket on which the plugin's daemon accepts calls of the shim. */
export const SOCKET = '/run/@NAME@/cni.sock'

/**
 * Options of the shim, the executable that a container runtime starts. The shim forwards each call to the plugin's
 * daemon.
 */
export const SHIM: ShimOptions = {
  name: '@NAME@',
  about: 'The executable before its daemon.',
  socket({ socket = SOCKET }) {
    if (typeof socket === 'string') return socket
    throw new CniError(ErrorCode.invalidNetworkConfig, `socket: expected a string, got ${JSON.stringify(socket)}`)
  },
  // An ADD waits for the daemon up to 10 seconds: the first pods of a node may start before the daemon.
  readyTimeout: { ADD: 10_000 },
}
