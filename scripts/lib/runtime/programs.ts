import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { exec, root } from '../exec.ts'
import { EDITED_FILES } from './engine-edits.ts'
import { MUSL_VERSION, QUICKJS_VERSION } from './pins.ts'
import type { CLibrary } from './sources.ts'
import type { Toolchain } from './toolchain.ts'

/** Our own C. */
export const NATIVE = join(root, 'packages/runtime/native')

const ENGINE_FILES = ['cutils', 'dtoa', 'libregexp', 'libunicode']
/** Files of ours that are compiled with the engine, and change as seldom. */
const ENGINE_PART = ['engine.c', 'engine.h', 'string-hash.h']

/** What the TLS library has, as a header of its own settings. */
const TLS_SETTINGS = 'tls-config.h'

const RUNTIME = [
  ...['arena', 'arena-memory', 'base64', 'build-image', 'deadline', 'files', 'host', 'image', 'main', 'note', 'refuse'],
  ...['run', 'say', 'spawn', 'syscall', 'text', 'utf8'],
]
/** The runtime with the TLS library. A plugin without `node:https` does not pay for it. */
const TLS_PROGRAM = 'cni-runtime-tls'

/** Files of each program beside the engine. Without the parser nothing refers to it, and the linker leaves it out. */
const PROGRAMS = {
  'cni-compile': ['compile', 'files', 'note'],
  'cni-runtime': RUNTIME,
  [TLS_PROGRAM]: [...RUNTIME, 'tls', 'tls-child', 'tls-copy', 'tls-random', 'tls-sandbox', 'tls-trust'],
} as const

const FLAGS = [
  ...[
    '-std=gnu11',
    '-O2',
    '-fwrapv',
    '-fno-pie',
    '-ffunction-sections',
    '-fdata-sections',
    '-D_GNU_SOURCE',
    '-DNDEBUG',
  ],
  ...['-fno-asynchronous-unwind-tables', '-fno-unwind-tables', '-fno-strict-aliasing', '-nostdinc'],
]
const WARNINGS = ['-Wall', '-Wextra', '-Werror', '-Wno-unused-parameter']
/** Options that an image needs: fixed addresses, no executable stack, a program header that becomes the image's. */
const LINK = [
  ...['-static', '-no-pie', '-nostdlib', '-nostartfiles', '-Wl,--gc-sections', '-Wl,--build-id=none'],
  ...['-Wl,-z,relro', '-Wl,-z,noexecstack', '-Wl,-z,separate-code'],
]

export interface Inputs {
  readonly processor: 'x64' | 'arm64'
  readonly tools: Toolchain
  readonly library: CLibrary
  /** Unpacked, with the edited files in `edited`. */
  readonly engine: string
  /** The TLS library, unpacked. */
  readonly tls: string
  /** Names what bytecode and images fit to. */
  readonly build: string
  readonly version: string
}

/** Compile the engine and the TLS library, unless these objects are there, and all programs into a folder. */
export async function compilePrograms(inputs: Inputs, objects: string, into: string): Promise<void> {
  const engine = await engineObjects(inputs, objects)
  const tls = await tlsObjects(inputs, objects)
  const own = join(objects, 'host')
  mkdirSync(own, { recursive: true })
  const files = [...new Set(Object.values(PROGRAMS).flat())]
  await inParallel(files, (file) => compile(inputs, join(NATIVE, `${file}.c`), join(own, `${file}.o`), WARNINGS))
  mkdirSync(into, { recursive: true })
  for (const [program, parts] of Object.entries(PROGRAMS)) {
    const all = [...parts.map((part) => join(own, `${part}.o`)), ...engine, ...(program === TLS_PROGRAM ? tls : [])]
    await link(inputs, all, join(objects, `${program}.debug`), [])
    await link(inputs, all, join(into, program), ['-s'])
  }
}

function engineObjects(inputs: Inputs, objects: string): Promise<string[]> {
  const sources = [...ENGINE_FILES.map((file) => join(inputs.engine, `${file}.c`)), join(NATIVE, 'engine.c')]
  const read = [
    ...EDITED_FILES.map((file) => join(inputs.engine, 'edited', file)),
    ...ENGINE_PART.map((file) => join(NATIVE, file)),
  ]
  // The largest first: it takes longer than all others.
  return keptObjects(inputs, objects, 'engine', sources.toReversed(), read)
}

/** Most files of the library are empty with our settings. */
function tlsObjects(inputs: Inputs, objects: string): Promise<string[]> {
  const folder = join(inputs.tls, 'library')
  const sources = readdirSync(folder).filter((file) => file.endsWith('.c'))
  const paths = sources.toSorted().map((file) => join(folder, file))
  return keptObjects(inputs, objects, 'tls', paths, [join(NATIVE, TLS_SETTINGS)])
}

/** Objects of foreign sources, compiled if there are none of these settings and of the files that are `read`. */
async function keptObjects(
  inputs: Inputs,
  objects: string,
  what: string,
  sources: readonly string[],
  read: readonly string[],
): Promise<string[]> {
  const hash = createHash('sha256').update(JSON.stringify([inputs.tools.version, FLAGS, inputs.library]))
  for (const file of read) hash.update(readFileSync(file))
  const folder = join(objects, `${what}-${hash.digest('hex').slice(0, 16)}`)
  const outputs = sources.map((source) => join(folder, `${basename(source, '.c')}.o`))
  if (existsSync(folder)) return outputs
  mkdirSync(objects, { recursive: true })
  for (const old of readdirSync(objects)) {
    if (old.startsWith(`${what}-`)) rmSync(join(objects, old), { recursive: true })
  }
  const fresh = `${folder}.new`
  mkdirSync(fresh)
  await inParallel(sources, (source) => compile(inputs, source, join(fresh, `${basename(source, '.c')}.o`), ['-w']))
  renameSync(fresh, folder)
  return outputs
}

function compile(inputs: Inputs, source: string, object: string, more: readonly string[]): Promise<string> {
  const { tools, library, engine, tls, processor } = inputs
  // gcc has no warnings about headers of `-isystem`.
  const headers = [join(engine, 'edited'), engine, join(tls, 'include'), tools.headers, library.headers]
  const texts = {
    CONFIG_VERSION: QUICKJS_VERSION,
    CNI_VERSION: inputs.version,
    CNI_QUICKJS: QUICKJS_VERSION,
    CNI_MUSL: MUSL_VERSION,
    CNI_BUILD: inputs.build,
    MBEDTLS_CONFIG_FILE: TLS_SETTINGS,
  }
  const argv = [
    ...FLAGS,
    // Helpers of libgcc for it need a function that musl has not.
    ...(processor === 'arm64' ? ['-mno-outline-atomics'] : []),
    ...more,
    ...Object.entries(texts).map(([name, value]) => `-D${name}="${value}"`),
    ...[NATIVE, engine, tls].map((folder) => `-ffile-prefix-map=${folder}=.`),
    ...headers.flatMap((folder) => ['-isystem', folder]),
    `-I${NATIVE}`,
  ]
  return exec([tools.gcc, ...argv, '-c', source, '-o', object], { quiet: true })
}

function link(inputs: Inputs, objects: readonly string[], program: string, more: readonly string[]): Promise<string> {
  const of = (file: string) => join(inputs.library.libraries, file)
  const argv = [...LINK, ...more, '-o', program, of('crt1.o'), of('crti.o'), ...objects]
  return exec([inputs.tools.gcc, ...argv, of('libc.a'), inputs.tools.libgcc, of('crtn.o')], { quiet: true })
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker))
}
