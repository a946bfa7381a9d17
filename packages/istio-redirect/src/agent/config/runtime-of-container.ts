import type { RuntimeReading } from '@cni/installer'

/**
 * Finds the container runtime that started a container. A CRI runtime mounts the pod's `resolv.conf` from a folder of
 * its
 * own. Returns `undefined` for any other runtime.
 *
 * @param mountInfo `/proc/self/mountinfo` of the container.
 */
export function runtimeOfContainer(mountInfo: string): RuntimeReading['runtime'] | undefined {
  if (mountInfo.includes('/io.containerd.grpc.v1.cri/sandboxes/')) return 'containerd'
  return mountInfo.includes('/overlay-containers/') ? 'cri-o' : undefined
}
