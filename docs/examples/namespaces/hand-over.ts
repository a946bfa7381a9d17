import { type Netns, open } from '@cni/netns/handle'
import { connectUnix, listenUnix } from '@cni/netns/unix'

/** Gives a pod's namespace to each of root's processes that connects. */
export const handOut = (path: string, pod: Netns, onError: (error: unknown) => void) =>
  listenUnix(path, {
    allow: ({ uid }) => uid === 0, // the kernel says who connected
    async onConnection(connection) {
      using it = connection
      await it.send(Buffer.from('pod'), [pod.fd])
    },
    onError,
  })

/** What such a process gets: a handle, without a path to the namespace or the right to open it. */
export async function fetchNamespace(path: string): Promise<Netns> {
  using connection = connectUnix(path)
  using message = await connection.receive({ signal: AbortSignal.timeout(5000) })
  const [fd] = message?.fds ?? []
  if (fd === undefined) throw new Error(`${path} gave no namespace`)
  return open(`/proc/self/fd/${fd}`) // checked, like any path: a descriptor can be anything
}
