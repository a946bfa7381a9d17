import { rmSync } from 'node:fs'
import { netns } from '@cni/netns'

/** Path of the pod's namespace during the demo. `--keep` binds both namespaces. */
export const POD_NETNS = '/run/netns/cni-demo-pod'
export const NODE_NETNS = '/run/netns/cni-demo-node'
/** Folder for configuration, executables and state of a kept demo. */
export const KEPT_FOLDER = '/run/cni-demo'

/**
 * Binds both namespaces of the demo process to files, so that the namespaces stay after the end of the process. The
 * pod's path equals the path in its state.
 */
export function keep(pid: number): void {
  for (const [from, to] of [
    [`/proc/${pid}/ns/net`, NODE_NETNS],
    [`/proc/${pid}/root${POD_NETNS}`, POD_NETNS],
  ] as const) {
    using namespace = netns.open(from)
    netns.bind(namespace, to).close()
  }
}

/** Removes everything that an earlier `--keep` left. */
export async function cleanKept(): Promise<void> {
  for (const path of [POD_NETNS, NODE_NETNS]) netns.destroy(path)
  rmSync(KEPT_FOLDER, { recursive: true, force: true })
}
