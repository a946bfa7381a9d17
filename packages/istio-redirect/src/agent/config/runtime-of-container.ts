import type { RuntimeReading } from '@cni/installer'

/**
 * The container runtime that started a container, by its mounts: a CRI runtime mounts `resolv.conf` of the pod from a
 * folder of its own. `undefined` for any other runtime.
 *
 * @param mountInfo `/proc/self/mountinfo` of the container.
 */
export function runtimeOfContainer(mountInfo: string): RuntimeReading['runtime'] | undefined {
  if (mountInfo.includes('/io.containerd.grpc.v1.cri/sandboxes/')) return 'containerd'
  return mountInfo.includes('/overlay-containers/') ? 'cri-o' : undefined
}
