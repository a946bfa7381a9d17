import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const bin = join(import.meta.dirname, '../../../runtime-linux-x64/bin')

/**
 * Path of `cni-runtime`, the native program that creates executables from bytecode. `''` if the native programs are not
 * built.
 */
export const built = existsSync(join(bin, 'cni-runtime')) ? join(bin, 'cni-runtime') : ''

/** First lines of every test program: a minimal implementation of the functions that the native program calls. */
export const PLATFORM = `const host = globalThis.__host
delete globalThis.__host
const write = (fd, text) => { const bytes = host.encode(text + '\\n'); host.syscall(1, fd, bytes, bytes.length) }
const print = (text) => write(1, String(text))
host.boot = () => {}
host.loop = () => false
host.crash = (error, interrupted) => { write(2, (interrupted ? 'interrupted ' : 'crash ') + error) }
`

/** Compiles JavaScript code to an executable, with `PLATFORM` in front of `source`. */
export function build(source: string, options: { env?: NodeJS.ProcessEnv; platform?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'small-'))
  const program = join(folder, 'program')
  writeFileSync(join(folder, 'in.js'), (options.platform ?? PLATFORM) + source)
  const bytecode = join(folder, 'in.bytecode')
  const compiled = spawnSync(join(bin, 'cni-compile'), ['in.js', bytecode], { cwd: folder, encoding: 'utf8' })
  if (compiled.status !== 0) return { program, bytecode, stderr: compiled.stderr, status: compiled.status }
  const env = options.env ?? process.env
  const made = spawnSync(built, [bytecode, program], { cwd: folder, encoding: 'utf8', env })
  return { program, bytecode, stderr: made.stderr, status: made.status }
}

/** Builds a test program and runs it. Throws if the build fails. */
export function run(
  source: string,
  argv: readonly string[] = [],
): { stdout: string; stderr: string; status: number | null } {
  const { program, stderr } = build(source)
  if (stderr !== '') throw new Error(stderr)
  const { stdout, stderr: said, status } = spawnSync(program, argv, { encoding: 'utf8' })
  return { stdout, stderr: said, status }
}

/** Runs a line of shell code in which `$P` is the path of the test program. */
export const shell = (program: string, line: string): string =>
  execFileSync('bash', ['-c', line], { env: { ...process.env, P: program }, encoding: 'utf8' })
