import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip, zstdCompress } from 'node:zlib'
import { sha256Of } from './debian-archive.ts'
import type { Architecture } from './pins.ts'
import { type Entry, file, tar } from './tar.ts'

/** Compression of image layers. Container runtimes older than containerd 1.5, Docker 23 and CRI-O 1.20 need `gzip`. */
export type Compression = 'zstd' | 'gzip'

interface Blob {
  readonly mediaType: string
  readonly data: Uint8Array
}

/** A compressed image layer. `diffId` is the digest of its uncompressed content. */
export interface Layer extends Blob {
  readonly diffId: string
  readonly unpackedBytes: number
}

/** A container image for one processor architecture. */
export interface Image {
  readonly architecture: Architecture
  readonly layers: readonly Layer[]
}

const MEDIA = 'application/vnd.oci.image'
// zstd settings for image layers: a large window finds distant repetitions. Higher levels would be slow.
const ZSTD = {
  [constants.ZSTD_c_compressionLevel]: 12,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  [constants.ZSTD_c_windowLog]: 24,
}

/** Creates an image layer. Caches the compressed archive by its content. */
export async function layer(
  entries: readonly Entry[],
  { time, compression, cache }: { time: number; compression: Compression; cache: string },
): Promise<Layer> {
  const archive = tar(entries, time)
  const diffId = sha256Of(archive)
  const suffix = compression === 'zstd' ? `zstd-${Object.values(ZSTD).join('-')}` : compression
  const kept = join(cache, `${diffId}.${suffix}`)
  if (!existsSync(kept)) {
    mkdirSync(cache, { recursive: true })
    writeFileSync(kept, await compress(archive, compression))
  }
  const mediaType = `${MEDIA}.layer.v1.tar+${compression}`
  const unpackedBytes = entries.reduce(
    (sum, { content }) => sum + (content.kind === 'file' ? content.data.length : 0),
    0,
  )
  return { mediaType, data: readFileSync(kept), diffId, unpackedBytes }
}

/** Builds an OCI archive with one image name. The name refers to one image for each processor architecture. */
export function archive(images: readonly Image[], options: { name: string; time: number; about: Labels }): Buffer {
  const blobs = new Map<string, Uint8Array>()
  const add = ({ mediaType, data }: Blob) => {
    const digest = sha256Of(data)
    blobs.set(digest, data)
    return { mediaType, digest: `sha256:${digest}`, size: data.length }
  }
  const manifests = images.map((image) => {
    const config = add(json(`${MEDIA}.config.v1+json`, configOf(image, options)))
    const layers = image.layers.map(add)
    const manifest = { schemaVersion: 2, mediaType: `${MEDIA}.manifest.v1+json`, config, layers }
    return { ...add(json(manifest.mediaType, manifest)), platform: { architecture: image.architecture, os: 'linux' } }
  })
  const index = { schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json`, manifests, annotations: options.about }
  const tag = options.name.slice(options.name.lastIndexOf(':') + 1)
  const annotations = { 'io.containerd.image.name': options.name, 'org.opencontainers.image.ref.name': tag }
  const top = {
    schemaVersion: 2,
    mediaType: index.mediaType,
    manifests: [{ ...add(json(index.mediaType, index)), annotations }],
  }
  return tar(
    [
      file('oci-layout', '{"imageLayoutVersion":"1.0.0"}'),
      file('index.json', JSON.stringify(top)),
      ...[...blobs].map(([digest, data]) => file(`blobs/sha256/${digest}`, data)),
    ],
    options.time,
  )
}

/** Labels of a container image, with names such as `org.opencontainers.image.version`. */
export type Labels = Readonly<Record<string, string>>

// internal

function configOf({ architecture, layers }: Image, { time, about }: { time: number; about: Labels }) {
  return {
    created: new Date(time * 1000).toISOString(),
    architecture,
    os: 'linux',
    config: {
      Env: ['PATH=/usr/local/bin:/usr/sbin:/usr/bin'],
      Entrypoint: ['/usr/local/bin/install-cni'],
      WorkingDir: '/',
      Labels: about,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => `sha256:${diffId}`) },
    history: layers.map(() => ({ created_by: 'npm run image' })),
  }
}

const json = (mediaType: string, value: unknown): Blob => ({ mediaType, data: Buffer.from(JSON.stringify(value)) })

function compress(data: Buffer, compression: Compression): Promise<Buffer> {
  if (compression === 'gzip') return promisify(gzip)(data, { level: 9 })
  return promisify(zstdCompress)(data, { params: ZSTD })
}
