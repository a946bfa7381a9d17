import { type Netns, open } from '@cni/netns/handle'
import { connectUnix, listenUnix } from '@cni/netns/unix'

/** Sends the handle of a pod's namespace to each root process that connects. */
export const handOut = (path: string, pod: Netns, onError: (error: unknown) => void) =>
  listenUnix(path, {
    allow: ({ uid }) => uid === 0, // allows only root: the kernel reports `uid`, the user id of the connecting process
    async onConnection(connection) {
      using it = connection
      await it.send(Buffer.from('pod'), [pod.fd])
    },
    onError,
  })

/** Receives a namespace's handle. The process needs no right to open the namespace itself. */
export async function fetchNamespace(path: string): Promise<Netns> {
  using connection = connectUnix(path)
  using message = await connection.receive({ signal: AbortSignal.timeout(5000) })
  const [fd] = message?.fds ?? []
  if (fd === undefined) throw new Error(`${path} gave no namespace`)
  return open(`/proc/self/fd/${fd}`) // open() checks that the received descriptor is a network namespace
}
