import { rmSync } from 'node:fs'
import { netns } from '@cni/netns'

/** Path of the network namespace of the demo's pod. After a demo with `--keep`, the path still exists. */
export const POD_NETNS = '/run/netns/cni-demo-pod'
export const NODE_NETNS = '/run/netns/cni-demo-node'
/** Folder for configuration, executables and state of a demo that runs with `--keep`. */
export const KEPT_FOLDER = '/run/cni-demo'

/** Binds the demo's network namespaces to files, so that they outlive the demo. */
export function keep(pid: number): void {
  for (const [from, to] of [
    [`/proc/${pid}/ns/net`, NODE_NETNS],
    [`/proc/${pid}/root${POD_NETNS}`, POD_NETNS],
  ] as const) {
    using namespace = netns.open(from)
    netns.bind(namespace, to).close()
  }
}

/** Removes the namespaces and the folder that an earlier demo with `--keep` left. */
export async function cleanKept(): Promise<void> {
  for (const path of [POD_NETNS, NODE_NETNS]) netns.destroy(path)
  rmSync(KEPT_FOLDER, { recursive: true, force: true })
}
