import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const native = join(here, '../../native')
const cache = join(here, '../../../../dist/runtime-cache')
/** Source folder of the JavaScript engine, which the build of the native programs unpacks. */
const engine = join(cache, 'quickjs')
const out = join(cache, 'sanitized')

/** Reason why this machine cannot compile C programs; `false` if compiling works. */
export const cannotCompile: string | false =
  spawnSync('gcc', ['--version']).status !== 0
    ? 'there is no gcc'
    : !existsSync('/usr/include/stdio.h')
      ? 'there are no headers: apt-get install libc6-dev'
      : existsSync(join(engine, 'edited/quickjs.c')) && existsSync(join(cache, 'mbedtls/library'))
        ? false
        : 'npm run runtime has not fetched the sources'

const HOST = ['base64', 'deadline', 'files', 'host', 'refuse', 'run', 'say', 'spawn', 'syscall', 'text', 'utf8']
const FLAGS = ['-std=gnu11', '-O1', '-g', '-fwrapv', '-D_GNU_SOURCE', `-I${native}`]
/**
 * Compiler flags for third-party C code: no undefined-behaviour checks, and no optimisation because it would take too
 * long.
 */
const OTHERS = ['-O0', '-fsanitize=address', '-w']
export const UNDEFINED = ['-fsanitize=undefined', '-fno-sanitize-recover=all']
const CHECKS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']

/**
 * Compiles a C test program with gcc and sanitizers.
 *
 * @param checks - compiler flags of the sanitizers; omit AddressSanitizer for native/arena.c, because both use the same
 * memory addresses
 */
export function sanitized(program: string, parts: readonly string[], checks: readonly string[] = CHECKS): string {
  const sources = [join(here, `${program}.c`), ...parts.map((part) => join(native, `${part}.c`))]
  return once(program, sources, (to) => gcc([...FLAGS, ...checks, '-w', ...sources, '-o', to]))
}

/** Compiles the native program and the JavaScript engine with sanitizers. */
export function sanitizedHost(): string {
  const engineSources = ['cutils', 'dtoa', 'libregexp', 'libunicode'].map((part) => join(engine, `${part}.c`))
  const headers = [`-isystem${join(engine, 'edited')}`, `-isystem${engine}`]
  const objects = [...engineSources, join(native, 'engine.c')].map((source) =>
    once('engine', [source, ...['quickjs.c', 'quickjs.h'].map((file) => join(engine, 'edited', file))], (to) =>
      gcc([...FLAGS, ...headers, ...OTHERS, '-DCONFIG_VERSION="test"', '-c', source, '-o', to]),
    ),
  )
  const versions = ['VERSION', 'QUICKJS', 'MUSL', 'BUILD'].map((name) => `-DCNI_${name}="test"`)
  const sources = [join(here, 'plain.c'), ...HOST.map((part) => join(native, `${part}.c`))]
  return once('plain', [...sources, ...objects], (to) =>
    gcc([...FLAGS, ...headers, ...CHECKS, ...versions, '-w', ...sources, ...objects, '-lm', '-o', to]),
  )
}

/** Compiles the TLS code without the seccomp sandbox, which would end programs with sanitizers. */
export function sanitizedTls(): string {
  const folder = join(cache, 'mbedtls')
  const flags = [...FLAGS, `-isystem${join(folder, 'include')}`, '-DMBEDTLS_CONFIG_FILE="tls-config.h"']
  const library = readdirSync(join(folder, 'library')).filter((file) => file.endsWith('.c'))
  const objects = library.map((file) => {
    const source = join(folder, 'library', file)
    const compile = (to: string): void => void gcc([...flags, ...OTHERS, '-c', source, '-o', to])
    return once('mbedtls', [source], compile, [join(native, 'tls-config.h')])
  })
  const parts = ['tls-child', 'tls-copy', 'tls-random', 'tls-trust'].map((part) => join(native, `${part}.c`))
  const sources = [join(here, 'tls-plain.c'), ...parts]
  return once('tls-plain', [...sources, join(native, 'tls.h'), ...objects], (to) =>
    gcc([...flags, ...CHECKS, '-w', ...sources, ...objects, '-o', to]),
  )
}

/** Compiles a C program. Reuses the result of an earlier build with the same sources and flags. */
function once(
  name: string,
  sources: readonly string[],
  compile: (to: string) => void,
  headers: readonly string[] = ownHeaders(),
): string {
  const hash = createHash('sha256').update(JSON.stringify([sources, FLAGS, CHECKS, OTHERS]))
  for (const file of [...sources, ...headers]) hash.update(readFileSync(file))
  const path = join(out, `${name}-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(path)) return path
  mkdirSync(out, { recursive: true })
  const fresh = `${path}.${process.pid}.${name === 'engine' ? 'o' : 'new'}`
  compile(fresh)
  renameSync(fresh, path)
  return path
}

const ownHeaders = (): string[] =>
  readdirSync(native)
    .filter((file) => file.endsWith('.h'))
    .map((file) => join(native, file))

const gcc = (argv: readonly string[]) => execFileSync('gcc', argv, { stdio: ['ignore', 'inherit', 'inherit'] })
