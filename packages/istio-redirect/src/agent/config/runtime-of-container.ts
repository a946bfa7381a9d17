import type { RuntimeReading } from '@cni/installer'

/**
 * Finds the container runtime (containerd, CRI-O) that started a container. The runtime mounts a `resolv.conf` into the
 * container, and the path of the mounted file shows the runtime. Returns `undefined` for an unknown runtime.
 *
 * @param mountInfo content of the container's `/proc/self/mountinfo`
 */
export function runtimeOfContainer(mountInfo: string): RuntimeReading['runtime'] | undefined {
  if (mountInfo.includes('/io.containerd.grpc.v1.cri/sandboxes/')) return 'containerd'
  return mountInfo.includes('/overlay-containers/') ? 'cri-o' : undefined
}
