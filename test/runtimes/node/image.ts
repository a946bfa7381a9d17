import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { file, symlink, tar } from '../../../scripts/lib/image/tar.ts'

/** Name of the test node's only image: Debian's static busybox. Its default command sleeps. */
export const IMAGE = 'localhost/cni-test/busybox:1'

const BUSYBOX = '/bin/busybox'

/**
 * Writes the test image as an archive that `ctr images import` and `podman load` read.
 *
 * @returns path of the archive in the folder
 */
export function writeImage(folder: string): string {
  const links = ['sh', 'sleep', 'nc', 'timeout', 'id'].map((name) => symlink(`bin/${name}`, 'busybox'))
  const passwd = file('etc/passwd', 'root:x:0:0::/:/bin/sh\n')
  const layer = tar([file('bin/busybox', readFileSync(BUSYBOX), 0o755), ...links, passwd], 0)
  const config = {
    architecture: 'amd64',
    os: 'linux',
    config: { Env: ['PATH=/bin'], Cmd: ['sleep', '86400'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
  }
  const manifest = [{ Config: 'config.json', RepoTags: [IMAGE], Layers: ['layer.tar'] }]
  const parts = [
    file('layer.tar', layer),
    file('config.json', JSON.stringify(config)),
    file('manifest.json', JSON.stringify(manifest)),
  ]
  const path = join(folder, 'image.tar')
  writeFileSync(path, tar(parts, 0))
  return path
}
