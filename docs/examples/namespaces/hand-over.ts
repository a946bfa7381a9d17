import { type Netns, open } from '@cni/netns/handle'
import { connectUnix, listenUnix } from '@cni/netns/unix'

/** Passes a pod's namespace to each process of root that connects. */
export const handOut = (path: string, pod: Netns, onError: (error: unknown) => void) =>
  listenUnix(path, {
    allow: ({ uid }) => uid === 0, // the kernel reports the user of the process
    async onConnection(connection) {
      using it = connection
      await it.send(Buffer.from('pod'), [pod.fd])
    },
    onError,
  })

/** Receives a namespace as a handle. The process needs neither a path nor the right to open the namespace. */
export async function fetchNamespace(path: string): Promise<Netns> {
  using connection = connectUnix(path)
  using message = await connection.receive({ signal: AbortSignal.timeout(5000) })
  const [fd] = message?.fds ?? []
  if (fd === undefined) throw new Error(`${path} gave no namespace`)
  return open(`/proc/self/fd/${fd}`) // open() validates it like any path, because a descriptor can be anything
}
