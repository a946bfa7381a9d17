import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { tar } from './tar.ts'

/** The only image of the node: Debian's static busybox, which sleeps unless it is told otherwise. */
export const IMAGE = 'localhost/cni-test/busybox:1'

const BUSYBOX = '/bin/busybox'

/** Writes the image as an archive that `ctr images import` and `podman load` read. */
export function writeImage(path: string): void {
  const layer = tar([
    { path: 'bin/busybox', content: readFileSync(BUSYBOX), mode: 0o755 },
    ...['sh', 'sleep', 'nc', 'timeout', 'id'].map((name) => ({ path: `bin/${name}`, content: { linkTo: 'busybox' } })),
    { path: 'etc/passwd', content: 'root:x:0:0::/:/bin/sh\n' },
  ])
  const config = {
    architecture: 'amd64',
    os: 'linux',
    config: { Env: ['PATH=/bin'], Cmd: ['sleep', '86400'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
  }
  const manifest = [{ Config: 'config.json', RepoTags: [IMAGE], Layers: ['layer.tar'] }]
  writeFileSync(
    path,
    tar([
      { path: 'layer.tar', content: layer },
      { path: 'config.json', content: JSON.stringify(config) },
      { path: 'manifest.json', content: JSON.stringify(manifest) },
    ]),
  )
}
