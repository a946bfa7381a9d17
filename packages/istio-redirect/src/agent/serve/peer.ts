import type { Socket } from 'node:net'
import { tryLoadSys } from '@cni/netns/sys'
import * as z from 'zod/mini'

const SOL_SOCKET = 1
const SO_PEERCRED = 17

/** Where both runtimes keep the descriptor of a connection; neither says so. */
const handle = z.object({ _handle: z.object({ fd: z.int().check(z.nonnegative()) }) })

/**
 * The user at the other end of a unix socket, as the kernel has it; `undefined` where it cannot be asked, as on Node
 * without FFI.
 */
export function peerUser(socket: Socket): number | undefined {
  const found = handle.safeParse(socket)
  const sys = tryLoadSys()
  if (!found.success || sys === undefined) return undefined
  try {
    // pid, uid, gid
    const credentials = sys.getsockopt(found.data._handle.fd, SOL_SOCKET, SO_PEERCRED, 12)
    return new DataView(credentials.buffer, credentials.byteOffset, credentials.byteLength).getUint32(4, true)
  } catch {
    // it is closed already
    return undefined
  }
}
