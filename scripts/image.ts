// npm run image [-- --platform linux/amd64] [--flavour full|minimal] [--name NAME] [--gzip] [--out DIR]: builds
// reproducible container images of the node agent.
// --root DIR: writes the files of one image into a folder, for a Dockerfile.
// --pin: first records the newest Debian packages in pins.json.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exec, root } from './lib/exec.ts'
import { sha256Of } from './lib/image/debian-archive.ts'
import { type Flavour, inspect, sizeOf } from './lib/image/inspect.ts'
import { baseLayer, executablesLayer, type LayerSources, programsLayer } from './lib/image/layers.ts'
import { archive, type Compression, type Image, layer } from './lib/image/oci.ts'
import { pin } from './lib/image/pin.ts'
import { ARCHITECTURES, type Architecture, readPins } from './lib/image/pins.ts'
import { tar } from './lib/image/tar.ts'
import { parsed } from './lib/options.ts'
import { main, Stop, say, step } from './lib/progress.ts'

await main(async () => {
  const { values } = parsed({
    options: {
      platform: { type: 'string', multiple: true, default: ARCHITECTURES.map((each) => `linux/${each}`) },
      flavour: { type: 'string', multiple: true, default: ['full', 'minimal'] },
      name: { type: 'string' },
      gzip: { type: 'boolean', default: false },
      out: { type: 'string', default: join(root, 'dist/image') },
      root: { type: 'string' },
      pin: { type: 'boolean', default: false },
    },
  })
  const cache = join(root, 'dist/image-cache')
  if (values.pin) return await pin(join(cache, 'apt'))
  const architectures = values.platform.map((text) =>
    oneOf(ARCHITECTURES, text.replace('linux/', ''), '--platform', text),
  )
  const flavours = values.flavour.map((text) => oneOf(['full', 'minimal'] as const, text, '--flavour', text))
  const { version } = JSON.parse(readFileSync(join(root, 'packages/istio-redirect/package.json'), 'utf8'))
  const name = values.name ?? `localhost/install-cni:${version}`
  const sources: LayerSources = { cache, pins: readPins() }
  const settings = { time: epoch(), compression: values.gzip ? 'gzip' : 'zstd', cache: join(cache, 'layers') } as const
  if (values.root !== undefined) return await files(resolve(values.root), architectures, flavours, sources)
  mkdirSync(resolve(values.out), { recursive: true })
  const made = []
  for (const architecture of architectures) {
    made.push(await step(`linux/${architecture}`, () => imagesFor(architecture, flavours, sources, settings)))
  }
  for (const flavour of flavours) {
    const suffix = flavour === 'minimal' ? '-minimal' : ''
    const about = labels(version, flavour)
    const bytes = archive(
      made.flatMap((one) => one[flavour] ?? []),
      { name: `${name}${suffix}`, time: settings.time, about },
    )
    const outfile = join(resolve(values.out), `install-cni${suffix}.tar`)
    rmSync(outfile, { force: true })
    writeFileSync(outfile, bytes)
    say(`  ${outfile}: ${name}${suffix}, sha256 ${sha256Of(bytes)}`)
    for (const image of made.flatMap((one) => one[flavour] ?? [])) say(`    ${image.architecture}: ${sizes(image)}`)
  }
})

/** Writes the files of one container image into a folder, for a build with a Dockerfile. */
async function files(
  folder: string,
  [architecture, another]: readonly Architecture[],
  [flavour, other]: readonly Flavour[],
  sources: LayerSources,
): Promise<void> {
  if (architecture === undefined || flavour === undefined || another !== undefined || other !== undefined) {
    throw new Stop('--root: the files of one image: --platform linux/amd64 --flavour full, for example', 2)
  }
  const programs = flavour === 'full' ? await programsLayer(architecture, sources) : []
  const entries = [
    ...(await baseLayer(architecture, sources)),
    ...(await executablesLayer(architecture, sources)),
    ...programs,
  ]
  mkdirSync(folder, { recursive: true })
  const packed = `${folder}.tar`
  try {
    writeFileSync(packed, tar(entries, epoch()))
    await exec(['tar', '-xpf', packed, '-C', folder], { quiet: true })
  } finally {
    rmSync(packed, { force: true })
  }
}

async function imagesFor(
  architecture: Architecture,
  flavours: readonly Flavour[],
  sources: LayerSources,
  settings: { time: number; compression: Compression; cache: string },
): Promise<Partial<Record<Flavour, Image>>> {
  // The full flavour of the image has the layers of the minimal flavour and one additional layer.
  const base = await baseLayer(architecture, sources)
  const executables = await executablesLayer(architecture, sources)
  const common = [await layer(base, settings), await layer(executables, settings)]
  const images: Partial<Record<Flavour, Image>> = {}
  for (const flavour of flavours) {
    const programs = flavour === 'full' ? await programsLayer(architecture, sources) : []
    const layers = [...common, ...(programs.length === 0 ? [] : [await layer(programs, settings)])]
    const image = { architecture, layers }
    inspect(image, [...base, ...executables, ...programs], flavour, settings.compression === 'zstd')
    images[flavour] = image
  }
  return images
}

function oneOf<T extends string>(all: readonly T[], value: string, flag: string, text: string): T {
  const found = all.find((one) => one === value)
  if (found !== undefined) return found
  throw new Stop(`${flag}: expected one of ${all.join(', ')}, got ${JSON.stringify(text)}`, 2)
}

function epoch(): number {
  const text = process.env.SOURCE_DATE_EPOCH ?? '0'
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new Stop(`SOURCE_DATE_EPOCH: expected seconds since 1970, got ${JSON.stringify(text)}`, 2)
}

function labels(version: string, flavour: Flavour) {
  const kind = flavour === 'full' ? '' : '; rules by netlink only'
  return {
    'org.opencontainers.image.title': 'install-cni',
    'org.opencontainers.image.description': `The node agent of istio-cni, with the plugin it installs${kind}`,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.version': version,
  }
}

function sizes(image: Image): string {
  const { unpacked, compressed } = sizeOf(image)
  return `${(unpacked / 1e6).toFixed(1)} MB, compressed ${(compressed / 1e6).toFixed(1)} MB`
}
