import type { PluginResult } from '@cni/invoke'
import type { Attachment } from './attachment.ts'
import type { Cni } from './cni.ts'
import { type NetworkList, parseNetworkList } from './network-list.ts'
import type { OperationOptions } from './runtime.ts'

/** Network for a container's loopback interface, with the same names as in containerd. */
export const loopbackList: NetworkList = /* @__PURE__ */ parseNetworkList(
  '{"cniVersion":"0.4.0","name":"cni-loopback","plugins":[{"type":"loopback"}]}',
)

/** Attachment of a container to the loopback network {@link loopbackList}. */
export function loopbackOf({ containerID, netns }: Pick<Attachment, 'containerID' | 'netns'>): Attachment {
  return { containerID, netns, ifName: 'lo' }
}

/**
 * Sets a container's `lo` up, as runtimes do before the first network. Needs the plugin `loopback` in a plugin folder.
 *
 * @example
 * ```ts
 * const container = { containerID: 'c1', netns: '/run/netns/c1' }
 * await addLoopback(runtime, container)
 * await runtime.add(list, { ...container, ifName: 'eth0' })
 * ```
 */
export function addLoopback(
  runtime: Pick<Cni, 'add'>,
  container: Pick<Attachment, 'containerID' | 'netns'>,
  options?: OperationOptions,
): Promise<PluginResult> {
  return runtime.add(loopbackList, loopbackOf(container), options)
}

/** Sets a container's `lo` down. Succeeds if the namespace is missing. */
export function delLoopback(
  runtime: Pick<Cni, 'del'>,
  container: Pick<Attachment, 'containerID' | 'netns'>,
  options?: OperationOptions,
): Promise<void> {
  return runtime.del(loopbackList, loopbackOf(container), options)
}
