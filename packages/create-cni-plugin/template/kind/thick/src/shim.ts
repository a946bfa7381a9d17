import type { ShimOptions } from '@cni/skel/daemon'
import { CniError, ErrorCode } from '@cni/types'

/** Socket on which the daemon accepts calls of shims. */
export const SOCKET = '/run/@NAME@/cni.sock'

/** The executable that a runtime starts. It forwards each call to the daemon. */
export const SHIM: ShimOptions = {
  name: '@NAME@',
  about: 'The executable before its daemon.',
  socket({ socket = SOCKET }) {
    if (typeof socket === 'string') return socket
    throw new CniError(ErrorCode.invalidNetworkConfig, `socket: expected a string, got ${JSON.stringify(socket)}`)
  },
  // The first pods of a node may start before the daemon.
  readyTimeout: { ADD: 10_000 },
}
