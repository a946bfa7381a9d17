import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ensurePackages } from '../debian.ts'
import { root } from '../exec.ts'
import { sha256Of } from '../image/debian-archive.ts'
import { Stop, say, step } from '../progress.ts'
import { C_LIBRARY, ENGINE_SOURCE, PROCESSORS, type Processor, TLS_SOURCE } from './pins.ts'
import { compilePrograms, NATIVE } from './programs.ts'
import { cLibrary, engineSource, tlsSource } from './sources.ts'
import { findToolchain, type Toolchain } from './toolchain.ts'

const cache = join(root, 'dist/runtime-cache')
const packageOf = (processor: Processor) => join(root, 'packages', `runtime-linux-${processor}`)
const PROGRAMS = ['cni-compile', 'cni-runtime', 'cni-runtime-tls'] as const

/**
 * Builds the small runtime's programs for this machine's processor, and for each other processor with an installed
 * compiler.
 */
export async function buildRuntimes(): Promise<void> {
  for (const processor of PROCESSORS) {
    if (processor === 'x64' || findToolchain(processor) !== undefined) await buildRuntime(processor)
    else say(`– skipped: the small runtime for ${processor}, apt-get install gcc-aarch64-linux-gnu`)
  }
}

/** Builds the small runtime for one processor into its package, unless it is current. */
export async function buildRuntime(processor: Processor): Promise<void> {
  const folder = packageOf(processor)
  const mark = join(cache, `${processor}.json`)
  const now = () => JSON.stringify({ source: sourceHash(), programs: programHashes(join(folder, 'bin')) })
  if (existsSync(mark) && readFileSync(mark, 'utf8') === now()) return
  const tools = await compilerFor(processor)
  await step(`the small runtime for ${processor} (${tools.gcc})`, async () => {
    await build(processor, tools, join(cache, processor), join(folder, 'bin'))
    await copyLicences(processor, join(folder, 'licenses'))
    writeFileSync(mark, now())
    const [plain, tls] = ['cni-runtime', 'cni-runtime-tls'].map(
      (name) => statSync(join(folder, 'bin', name)).size / 1e3,
    )
    return { note: `${plain?.toFixed(0)} kB, with TLS ${tls?.toFixed(0)} kB` }
  })
}

/** Builds the small runtime's programs again without the cache. Compares their bytes with the existing programs. */
export async function verifyRuntime(processor: Processor): Promise<void> {
  await step(`the same bytes for ${processor} again`, async () => {
    const folder = join(cache, `verify-${processor}`)
    rmSync(folder, { recursive: true, force: true })
    const tools = await compilerFor(processor)
    await build(processor, tools, join(folder, 'objects'), join(folder, 'bin'))
    const [kept, again] = [join(packageOf(processor), 'bin'), join(folder, 'bin')].map(programHashes)
    if (JSON.stringify(kept) !== JSON.stringify(again)) {
      throw new Stop(`two builds by ${tools.version} differ: ${JSON.stringify(kept)} and ${JSON.stringify(again)}`)
    }
    rmSync(folder, { recursive: true })
    return { note: tools.version }
  })
}

async function compilerFor(processor: Processor): Promise<Toolchain> {
  const wanted = [processor === 'x64' ? 'gcc' : 'gcc-aarch64-linux-gnu', 'xz-utils', 'bzip2'] as const
  try {
    await ensurePackages(wanted, { install: !process.argv.includes('--no-install') })
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    throw new Stop(`${error.message}\nThey compile the small runtime; plugins are built without it by --runtime bun.`)
  }
  const found = findToolchain(processor)
  if (found !== undefined) return found
  throw new Stop(
    `the compiler of ${wanted[0]} does not run: reinstall the package, or build plugins with --runtime bun`,
  )
}

async function build(processor: Processor, tools: Toolchain, objects: string, into: string): Promise<void> {
  const engine = await engineSource(cache)
  const tls = await tlsSource(cache)
  const library = await cLibrary(processor, cache)
  const inputs = { processor, tools, library, engine, tls, build: sourceHash().slice(0, 16), version: version() }
  await compilePrograms(inputs, objects, into)
}

async function copyLicences(processor: Processor, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(await engineSource(cache), 'LICENSE'), join(folder, 'quickjs'))
  copyFileSync((await cLibrary(processor, cache)).licence, join(folder, 'musl'))
  const offered = readFileSync(join(await tlsSource(cache), 'LICENSE'), 'utf8')
  writeFileSync(join(folder, 'mbedtls'), `Used under the first of the two licences, Apache-2.0.\n\n${offered}`)
}

const version = (): string => JSON.parse(readFileSync(join(root, 'packages/runtime/package.json'), 'utf8')).version

/** Hash of the build's inputs, the same for all processors because bytecode is portable. */
function sourceHash(): string {
  const hash = createHash('sha256').update(JSON.stringify([ENGINE_SOURCE, TLS_SOURCE, C_LIBRARY, version()]))
  const own = readdirSync(NATIVE).filter((file) => /\.[ch]$/.test(file))
  const recipe = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('-edits.ts') || file === 'programs.ts')
    .map((file) => join(import.meta.dirname, file))
  for (const file of [...own.map((name) => join(NATIVE, name)), ...recipe].sort()) hash.update(readFileSync(file))
  return hash.digest('hex')
}

const programHashes = (folder: string) =>
  PROGRAMS.map((name) => join(folder, name)).map((file) => (existsSync(file) ? sha256Of(readFileSync(file)) : 'none'))
