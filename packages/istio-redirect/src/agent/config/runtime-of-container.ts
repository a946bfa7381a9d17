import type { RuntimeReading } from '@cni/installer'

/**
 * Finds the runtime of a container by the path of the container's `resolv.conf`.
 *
 * @param mountInfo content of the container's `/proc/self/mountinfo`
 */
export function runtimeOfContainer(mountInfo: string): RuntimeReading['runtime'] | undefined {
  if (mountInfo.includes('/io.containerd.grpc.v1.cri/sandboxes/')) return 'containerd'
  return mountInfo.includes('/overlay-containers/') ? 'cri-o' : undefined
}
