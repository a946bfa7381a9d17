import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../exec.ts'
import { sha256Of } from '../image/debian-archive.ts'
import { Stop, say, step } from '../progress.ts'
import { C_LIBRARY, ENGINE_SOURCE, PROCESSORS, type Processor } from './pins.ts'
import { compilePrograms, NATIVE } from './programs.ts'
import { cLibrary, engineSource } from './sources.ts'
import { findToolchain, type Toolchain, toolchain } from './toolchain.ts'

const cache = join(root, 'dist/runtime-cache')
const packageOf = (processor: Processor) => join(root, 'packages', `runtime-linux-${processor}`)
const PROGRAMS = ['cni-compile', 'cni-runtime'] as const

/** The programs for this machine and, if there is a compiler for them, for the others. */
export async function buildRuntimes(): Promise<void> {
  for (const processor of PROCESSORS) {
    if (processor === 'x64' || findToolchain(processor) !== undefined) await buildRuntime(processor)
    else say(`– skipped: the small runtime for ${processor}, apt-get install gcc-aarch64-linux-gnu`)
  }
}

/** Leave `cni-compile` and `cni-runtime` in the package of the processor. Does nothing if they are of this source. */
export async function buildRuntime(processor: Processor): Promise<void> {
  const folder = packageOf(processor)
  const tools = toolchain(processor)
  const mark = join(cache, `${processor}.json`)
  const wanted = { inputs: inputsHash(processor, tools), outputs: hashes(join(folder, 'bin')) }
  if (existsSync(mark) && readFileSync(mark, 'utf8') === JSON.stringify(wanted)) return
  await step(`the small runtime for ${processor} (${tools.gcc})`, async () => {
    await build(processor, tools, join(cache, processor), join(folder, 'bin'))
    await licences(processor, join(folder, 'licenses'))
    const outputs = hashes(join(folder, 'bin'))
    writeFileSync(mark, JSON.stringify({ inputs: wanted.inputs, outputs }))
    return { note: `${(readFileSync(join(folder, 'bin/cni-runtime')).length / 1e3).toFixed(0)} kB` }
  })
}

/** Build once more, with nothing that was compiled before, and compare the bytes. */
export async function verifyRuntime(processor: Processor): Promise<void> {
  await step(`the same bytes for ${processor} again`, async () => {
    const folder = join(cache, `verify-${processor}`)
    rmSync(folder, { recursive: true, force: true })
    const tools = toolchain(processor)
    await build(processor, tools, join(folder, 'objects'), join(folder, 'bin'))
    const [kept, again] = [hashes(join(packageOf(processor), 'bin')), hashes(join(folder, 'bin'))]
    if (JSON.stringify(kept) !== JSON.stringify(again)) {
      throw new Stop(`two builds by ${tools.version} differ: ${JSON.stringify(kept)} and ${JSON.stringify(again)}`)
    }
    rmSync(folder, { recursive: true })
    return { note: tools.version }
  })
}

async function build(processor: Processor, tools: Toolchain, objects: string, into: string): Promise<void> {
  const engine = await engineSource(cache)
  const library = await cLibrary(processor, cache)
  const { version } = runtimeManifest()
  const inputs = { processor, tools, library, engine, build: sourceHash().slice(0, 16), version }
  await compilePrograms(inputs, objects, into)
}

async function licences(processor: Processor, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(await engineSource(cache), 'LICENSE'), join(folder, 'quickjs'))
  copyFileSync((await cLibrary(processor, cache)).licence, join(folder, 'musl'))
}

const runtimeManifest = (): { version: string } =>
  JSON.parse(readFileSync(join(root, 'packages/runtime/package.json'), 'utf8'))

/** Of everything that decides about bytecode and images. The same for all processors: bytecode serves each of them. */
function sourceHash(): string {
  const hash = createHash('sha256').update(JSON.stringify([ENGINE_SOURCE, C_LIBRARY, runtimeManifest().version]))
  const own = readdirSync(NATIVE).filter((file) => /\.[ch]$/.test(file))
  const files = [...own.map((file) => join(NATIVE, file)), join(import.meta.dirname, 'engine-edits.ts')]
  for (const file of files.sort()) hash.update(readFileSync(file))
  return hash.digest('hex')
}

function inputsHash(processor: Processor, tools: Toolchain): string {
  const recipe = readFileSync(join(import.meta.dirname, 'programs.ts'))
  return createHash('sha256')
    .update(JSON.stringify([processor, tools, sourceHash()]))
    .update(recipe)
    .digest('hex')
}

const hashes = (folder: string) =>
  PROGRAMS.map((name) => join(folder, name)).map((file) => (existsSync(file) ? sha256Of(readFileSync(file)) : 'none'))
