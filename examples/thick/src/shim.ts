import { join } from 'node:path'
import type { ShimOptions } from '@cni/skel/daemon'
import { CniError, ErrorCode } from '@cni/types'

/** Where the daemon keeps everything, when nobody says otherwise. */
export const FOLDER = '/run/who-is'

/** Where a daemon takes the calls of shims. */
export const socketIn = (folder: string): string => join(folder, 'cni.sock')

/** The executable that a runtime starts: it forwards each call to the daemon, and knows nothing of what that does. */
export const SHIM: ShimOptions = {
  name: 'who-is',
  about: 'Remembers which pod has which address: the executable before its daemon.',
  socket({ socket = socketIn(FOLDER) }) {
    if (typeof socket === 'string') return socket
    throw new CniError(ErrorCode.invalidNetworkConfig, `socket: expected a string, got ${JSON.stringify(socket)}`)
  },
  // A kubelet tries again; a pod that waits here blocks the creation of others.
  readyTimeout: { ADD: 10_000 },
}
