import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { sha256Of } from './debian-archive.ts'
import { faults } from './inspect.ts'
import { archive, type Compression, layer } from './oci.ts'
import { type Entry, file, tar } from './tar.ts'

const cache = mkdtempSync(join(tmpdir(), 'cni-oci-'))
afterAll(() => rmSync(cache, { recursive: true, force: true }))

const plugin = file('opt/cni/bin/istio-cni', 'the plugin', 0o755)
const image = async (architecture: 'amd64' | 'arm64', compression: Compression, to = cache) => ({
  architecture,
  layers: [await layer([plugin], { time: 0, compression, cache: to })],
})
const settings = { name: 'example.org/install-cni:1.2', time: 0, about: { 'org.opencontainers.image.title': 'x' } }

it.each([
  ['zstd', zstdDecompressSync],
  ['gzip', gunzipSync],
] as const)('a %s archive leads from its name to the files, for each machine', async (compression, decompress) => {
  const bytes = archive([await image('amd64', compression), await image('arm64', compression)], settings)
  const read = (path: string) => execFileSync('tar', ['-xOf', '-', path], { input: bytes })
  const blob = (digest: string) => {
    const data = read(`blobs/${digest.replace(':', '/')}`)
    expect(`sha256:${sha256Of(data)}`).toBe(digest)
    return data
  }
  const [named] = JSON.parse(read('index.json').toString()).manifests
  expect(named.annotations['io.containerd.image.name']).toBe(settings.name)
  const { manifests } = JSON.parse(blob(named.digest).toString())
  expect(manifests.map((one: { platform: object }) => one.platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ])
  for (const { digest } of manifests) {
    const manifest = JSON.parse(blob(digest).toString())
    const config = JSON.parse(blob(manifest.config.digest).toString())
    const files = decompress(blob(manifest.layers[0].digest))
    expect(`sha256:${sha256Of(files)}`).toBe(config.rootfs.diff_ids[0])
    expect(files).toEqual(tar([plugin], 0))
    expect(config.created).toBe('1970-01-01T00:00:00.000Z')
  }
})

it('two runs give the same bytes', async () => {
  const again = archive([await image('amd64', 'zstd', join(cache, 'other'))], settings)
  expect(archive([await image('amd64', 'zstd')], settings)).toEqual(again)
})

it.each<[why: string, entries: Entry[]]>([
  ['usr/bin/dash is a shell', [plugin, file('usr/bin/dash', '')]],
  ['usr/sbin/apply is a script', [plugin, file('usr/sbin/apply', '#!/bin/sh\n', 0o755)]],
  ['nodes would get opt/cni/bin/install-cni, opt/cni/bin/istio-cni', [file('opt/cni/bin/install-cni', ''), plugin]],
  ['nodes would get nothing', []],
])('%s: the image is rejected', (why, entries) => {
  expect(faults(entries)).toEqual([why])
})

it('a plugin that needs a library of the node is rejected', () => {
  const found = faults([file('opt/cni/bin/istio-cni', readFileSync('/bin/tar'), 0o755)])
  expect(found).toContain('nodes would need libc.so.6 for opt/cni/bin/istio-cni')
})

it('a program without its loader or library is rejected', () => {
  const found = faults([plugin, file('usr/bin/tar', readFileSync('/bin/tar'), 0o755)])
  expect(found).toContain('nothing is libc.so.6')
  expect(found.join()).toMatch(/nothing is ld-linux/)
})
