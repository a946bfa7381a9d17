import { type Netns, open } from '@cni/netns/handle'
import { connectUnix, listenUnix } from '@cni/netns/unix'

/** Listens on a Unix socket. Sends the handle of a pod's namespace to each connecting process that runs as root. */
export const handOut = (path: string, pod: Netns, onError: (error: unknown) => void) =>
  listenUnix(path, {
    allow: ({ uid }) => uid === 0, // allows only root: the kernel reports `uid`, the user id of the connecting process
    async onConnection(connection) {
      using it = connection
      await it.send(Buffer.from('pod'), [pod.fd])
    },
    onError,
  })

/**
 * Receives the handle of a pod's namespace over a Unix socket. The process needs neither a path nor the right to open
 * the namespace.
 */
export async function fetchNamespace(path: string): Promise<Netns> {
  using connection = connectUnix(path)
  using message = await connection.receive({ signal: AbortSignal.timeout(5000) })
  const [fd] = message?.fds ?? []
  if (fd === undefined) throw new Error(`${path} gave no namespace`)
  return open(`/proc/self/fd/${fd}`) // open() checks that the received descriptor is a network namespace
}
