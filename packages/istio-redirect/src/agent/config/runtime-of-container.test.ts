import { expect, test } from 'vitest'
import { runtimeOfContainer } from './runtime-of-container.ts'

const mountOf = (root: string, target: string): string =>
  `512 489 254:0 ${root} ${target} rw,relatime - ext4 /dev/vda rw,discard\n`
const id = '0d4b'.repeat(16)

test.each([
  ['containerd', `/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/${id}/resolv.conf`, 'containerd'],
  [
    'containerd of k3s',
    `/var/lib/rancher/k3s/agent/containerd/io.containerd.grpc.v1.cri/sandboxes/${id}/hostname`,
    'containerd',
  ],
  [
    'containerd on a node that Podman runs',
    `/containers/storage/volumes/n1/_data/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/${id}/resolv.conf`,
    'containerd',
  ],
  ['CRI-O', `/containers/storage/overlay-containers/${id}/userdata/resolv.conf`, 'cri-o'],
  ['Docker', `/var/lib/docker/containers/${id}/resolv.conf`, undefined],
])("the mounts of a pod's container show its runtime: %s", (_, root, runtime) => {
  const mounts = `${mountOf('/', '/')}${mountOf(root, '/etc/resolv.conf')}${mountOf('/etc/cni/net.d', '/host/etc/cni/net.d')}`
  expect(runtimeOfContainer(mounts)).toBe(runtime)
})
