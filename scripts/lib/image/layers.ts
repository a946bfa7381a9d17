import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePackages } from '../debian.ts'
import { exec, root } from '../exec.ts'
import { buildFlags, CNI_BUILD, type ExecutableName } from '../executables.ts'
import { Stop } from '../progress.ts'
import { buildRuntime } from '../runtime/build.ts'
import type { Processor } from '../runtime/pins.ts'
import { ACCOUNTS, CONTENTS, MERGED, PLAIN_NAMES } from './contents.ts'
import { download, unpack } from './debian-archive.ts'
import type { Architecture, Pins } from './pins.ts'
import { TARGETS, withRuntime } from './runtimes.ts'
import { type Entry, file, folder, symlink } from './tar.ts'

/** Inputs of an image build: pinned versions, and a cache that is kept between builds. */
export interface LayerSources {
  readonly cache: string
  readonly pins: Pins
}

/** Image layer with the C library and the standard files of a Linux root folder. */
export async function baseLayer(architecture: Architecture, sources: LayerSources): Promise<Entry[]> {
  return [
    ...MERGED.map((name) => symlink(name, `usr/${name}`)),
    ...MERGED.map((name) => folder(`usr/${name}`)),
    ...Object.entries(ACCOUNTS).map(([path, text]) => file(path, text)),
    ...['proc', 'sys', 'dev', 'run', 'var/lib', 'host'].map((path) => folder(path)),
    folder('root', 0o700),
    folder('tmp', 0o1777),
    symlink('var/run', '../run'),
    ...(await packages(CONTENTS.base, architecture, sources)),
  ]
}

/** Image layer with the Debian programs that write rules, such as iptables. Only the full flavour has this layer. */
export async function programsLayer(architecture: Architecture, sources: LayerSources): Promise<Entry[]> {
  const links = PLAIN_NAMES.map(({ path, to }) => symlink(path, to))
  return [...links, ...(await packages(CONTENTS.programs, architecture, sources))]
}

/** Image layer with the executables. The folder that the agent copies to nodes contains only the plugin. */
export async function executablesLayer(architecture: Architecture, { cache, pins }: LayerSources): Promise<Entry[]> {
  const { processor } = TARGETS[architecture]
  await buildRuntime(processor)
  if (processor === 'arm64') await ensurePackages(['qemu-user-static'], { install: true })
  const cwd = await withRuntime(architecture, pins, join(cache, 'runtime', architecture))
  const at = { bin: join(cache, 'bin', architecture), cwd, architecture }
  const [plugin, agent] = [await executable('istio-cni', at), await executable('install-cni', at)]
  return [
    file('opt/cni/bin/istio-cni', plugin.data, 0o755),
    file('usr/local/bin/install-cni', agent.data, 0o755),
    ...licences([...new Set([...plugin.packages, ...agent.packages])], processor),
  ]
}

// internal

/** Builds an executable for an image. Returns its bytes and the contained npm packages. */
async function executable(
  name: ExecutableName,
  { bin, cwd, architecture }: { bin: string; cwd: string; architecture: Architecture },
): Promise<{ data: Uint8Array; packages: string[] }> {
  const output = [`--outfile=${bin}/${name}`, `--bundle=${bin}/${name}.cjs`, '--incremental', '--json']
  const flags = [...buildFlags(name), `--target=${TARGETS[architecture].target}`, ...output]
  const built = JSON.parse(await exec([...CNI_BUILD, ...flags], { quiet: true, cwd }))
  const packages: string[] = built.packages.map((each: { package: string }) => each.package)
  return { data: readFileSync(join(bin, name)), packages }
}

async function packages(
  contents: Readonly<Record<string, RegExp>>,
  architecture: Architecture,
  { cache, pins }: LayerSources,
): Promise<Entry[]> {
  const entries: Entry[] = []
  for (const [name, part] of Object.entries(contents)) {
    const pinned = pins.packages[name]
    if (pinned === undefined) throw new Stop(`${name} is not in pins.json: npm run image -- --pin`)
    const deb = await download(pinned.files[architecture], join(cache, 'debian'))
    const copyright = `usr/share/doc/${name}/copyright`
    const unpacked = await unpack(deb, (path) => path === copyright || part.test(path), join(cache, 'unpacked'))
    if (!unpacked.entries.some(({ path }) => path === copyright)) throw new Stop(`${name} has no ${copyright}`)
    // Writes a Debian package's control file to the folder where security scanners look for installed packages.
    entries.push(...unpacked.entries, file(`var/lib/dpkg/status.d/${name}`, unpacked.control))
  }
  return entries
}

/** Licence files for the image: our own licence, and the licences of runtimes and npm packages in the executables. */
function licences(names: readonly string[], processor: Processor): Entry[] {
  const hoisted = join(root, 'node_modules/.pnpm/node_modules')
  const runtime = join(root, 'packages', `runtime-linux-${processor}`, 'licenses')
  const own = readdirSync(runtime).map((name) => `${name}\n\n${readFileSync(join(runtime, name), 'utf8')}`)
  const texts = names
    .filter((name) => !name.startsWith('@cni/') && existsSync(join(hoisted, name)))
    .sort()
    .map((name) => {
      const { version, license } = JSON.parse(readFileSync(join(hoisted, name, 'package.json'), 'utf8'))
      const text = readdirSync(join(hoisted, name)).find((one) => /^licen[cs]e/i.test(one))
      const licence = text === undefined ? '' : readFileSync(join(hoisted, name, text), 'utf8')
      return `${name} ${version}, ${license}\n\n${licence}`
    })
  return [
    file('usr/share/doc/istio-cni/copyright', readFileSync(join(root, 'LICENSE'))),
    file(
      'usr/share/doc/istio-cni/third-party',
      ['bun, MIT, https://bun.sh/docs/project/license\n', ...own, ...texts].join('\n---\n'),
    ),
  ]
}
