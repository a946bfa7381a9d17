import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { exec, root } from '../exec.ts'
import { EDITED_FILES } from './engine-edits.ts'
import { MUSL_VERSION, QUICKJS_VERSION } from './pins.ts'
import type { CLibrary } from './sources.ts'
import type { Toolchain } from './toolchain.ts'

/** Folder with our own C code of the small runtime. */
export const NATIVE = join(root, 'packages/runtime/native')

const ENGINE_FILES = ['cutils', 'dtoa', 'libregexp', 'libunicode']
/** Our C files that are compiled and cached together with QuickJS, because they change as rarely as QuickJS. */
const ENGINE_PART = ['engine.c', 'engine.h', 'string-hash.h']

/** Our configuration header for the TLS library Mbed TLS. */
const TLS_SETTINGS = 'tls-config.h'

const RUNTIME = [
  ...['arena', 'arena-memory', 'base64', 'build-image', 'deadline', 'files', 'host', 'image', 'main', 'note', 'refuse'],
  ...['run', 'say', 'spawn', 'syscall', 'text', 'utf8'],
]
/**
 * Name of the runtime program that contains the TLS library. Plugins without `node:https` use a smaller runtime
 * program.
 */
const TLS_PROGRAM = 'cni-runtime-tls'

/** Our source files of each program. Only `cni-compile` contains the parser of QuickJS. */
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
/** Linker options. `relro` adds a spare program header, which later loads the memory image. */
const LINK = [
  ...['-static', '-no-pie', '-nostdlib', '-nostartfiles', '-Wl,--gc-sections', '-Wl,--build-id=none'],
  ...['-Wl,-z,relro', '-Wl,-z,noexecstack', '-Wl,-z,separate-code'],
]

export interface Inputs {
  readonly processor: 'x64' | 'arm64'
  readonly tools: Toolchain
  readonly library: CLibrary
  /** Folder with the unpacked source of QuickJS. Its subfolder `edited` contains the files with our changes. */
  readonly engine: string
  /** Folder with the unpacked source of the TLS library. */
  readonly tls: string
  /** Id of the build. Bytecode and memory images fit only a runtime with the same id. */
  readonly build: string
  readonly version: string
}

/** Compiles all programs of the small runtime, with cached object files of third-party code. */
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
  // Compiles the files in reverse order. The largest file then starts first, because its compilation takes the longest
  // time.
  return keptObjects(inputs, objects, 'engine', sources.toReversed(), read)
}

/** Compiles all files of Mbed TLS. With our configuration, most of the files contain no code. */
function tlsObjects(inputs: Inputs, objects: string): Promise<string[]> {
  const folder = join(inputs.tls, 'library')
  const sources = readdirSync(folder).filter((file) => file.endsWith('.c'))
  const paths = sources.toSorted().map((file) => join(folder, file))
  return keptObjects(inputs, objects, 'tls', paths, [join(NATIVE, TLS_SETTINGS)])
}

/** Compiles third-party code. Object files stay cached until the settings or the files in `read` change. */
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
  // Folders with third-party headers. The option `-isystem` keeps gcc from printing warnings for these headers.
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
    // Avoids helper functions of libgcc, which need a function that musl lacks.
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
