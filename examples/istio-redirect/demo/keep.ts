import { rmSync } from 'node:fs'
import { netns } from '@cni/netns'

/** Where the pod's namespace is while the demo runs, and where `--keep` leaves both. */
export const POD_NETNS = '/run/netns/cni-demo-pod'
export const NODE_NETNS = '/run/netns/cni-demo-node'
/** Configuration, executables and state of a kept demo. */
export const KEPT_FOLDER = '/run/cni-demo'

/** Bind both namespaces of the demo process where they outlive it. The pod's path is the one its state names. */
export function keep(pid: number): void {
  for (const [from, to] of [
    [`/proc/${pid}/ns/net`, NODE_NETNS],
    [`/proc/${pid}/root${POD_NETNS}`, POD_NETNS],
  ] as const) {
    using namespace = netns.open(from)
    netns.bind(namespace, to).close()
  }
}

/** Remove what an earlier `--keep` left; fine when there is nothing. */
export async function cleanKept(): Promise<void> {
  for (const path of [POD_NETNS, NODE_NETNS]) netns.destroy(path)
  rmSync(KEPT_FOLDER, { recursive: true, force: true })
}
