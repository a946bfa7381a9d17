import type { PluginResult } from '@cni/invoke'
import type { Attachment } from './attachment.ts'
import type { Cni } from './cni.ts'
import { type NetworkList, parseNetworkList } from './network-list.ts'
import type { OperationOptions } from './runtime.ts'

/**
 * The network that gives a container its loopback interface: name, interface and plugin are those of containerd. The
 * version is the first that has CHECK, and that plugins of 2019 speak.
 */
export const loopbackList: NetworkList = /* @__PURE__ */ parseNetworkList(
  '{"cniVersion":"0.4.0","name":"cni-loopback","plugins":[{"type":"loopback"}]}',
)

/** The attachment of a container to {@link loopbackList}. */
export function loopbackOf({ containerID, netns }: Pick<Attachment, 'containerID' | 'netns'>): Attachment {
  return { containerID, netns, ifName: 'lo' }
}

/**
 * Sets `lo` up in a container, as runtimes do before its first network: by the plugin `loopback`, which has to be in one
 * of the runtime's folders. It is an attachment as any other: remembered, and listed with the container's.
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

/** Sets `lo` down again; a namespace that is gone, or was never there, is fine. */
export function delLoopback(
  runtime: Pick<Cni, 'del'>,
  container: Pick<Attachment, 'containerID' | 'netns'>,
  options?: OperationOptions,
): Promise<void> {
  return runtime.del(loopbackList, loopbackOf(container), options)
}
