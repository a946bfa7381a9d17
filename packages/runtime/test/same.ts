import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const source = fileURLToPath(new URL('../src', import.meta.url))
const bin = fileURLToPath(new URL(`../../runtime-linux-${process.arch}/bin`, import.meta.url))

/** True if the native programs for this machine are built. */
export const isBuilt = existsSync(join(bin, 'cni-runtime'))
export const NOT_BUILT = 'needs the native programs: npm run build'

/** esbuild plugin that replaces Node's modules by the modules of this package. */
const platform: Plugin = {
  name: 'platform',
  setup({ onResolve }) {
    onResolve({ filter: /^[a-z]/ }, ({ path }) => {
      const name = path.replace(/^node:/, '')
      const files = [`${name}.ts`, `${name}/${name}.ts`].map((file) => join(source, 'node', file))
      const file = isBuiltin(path) ? files.find((one) => existsSync(one)) : undefined
      return file === undefined ? undefined : { path: file }
    })
  },
}

const globals: Record<string, string> = JSON.parse(readFileSync(join(source, 'globals/on-demand.json'), 'utf8'))

function entryOf(program: string): string {
  const files = [...new Set(Object.values(globals))].map((file) => join(source, 'globals', file))
  return [
    `import { registerBuiltins, setMain } from ${JSON.stringify(join(source, 'platform.ts'))}`,
    ...files.map((file) => `import ${JSON.stringify(file)}`),
    `import * as fs from 'node:fs'`,
    `import main from ${JSON.stringify(program)}`,
    `registerBuiltins({ 'node:fs': fs })`,
    'setMain(() => main())',
  ].join('\n')
}

/** Builds a test program for the small runtime. The program's default export is the main function. */
export async function buildSmall(program: string, folder: string): Promise<string> {
  const module = join(folder, `${basename(program, '.ts')}.js`)
  await build({
    stdin: { contents: entryOf(program), resolveDir: resolve(program, '..'), loader: 'ts' },
    outfile: module,
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
    format: 'esm',
    keepNames: true,
    // The engine's own `for await` does not await the iterator's `return` after `break`.
    supported: { 'for-await': false },
    logLevel: 'error',
    define: { 'process.versions.bun': 'undefined' },
    plugins: [platform],
  })
  const out = module.slice(0, -'.js'.length)
  execFileSync(join(bin, 'cni-compile'), [basename(module), `${basename(out)}.bytecode`], {
    cwd: folder,
    stdio: 'pipe',
  })
  const base = readFileSync(module, 'utf8').includes('cni-runtime-tls') ? 'cni-runtime-tls' : 'cni-runtime'
  execFileSync(join(bin, base), [`${out}.bytecode`, out], { cwd: folder, env: {}, stdio: 'pipe' })
  return out
}

/** Bundles a test program for Node into one module. */
export async function buildNode(program: string, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(program, '.ts')}.node.mjs`)
  const entry = `import main from ${JSON.stringify(program)}\nawait main()\n`
  await build({
    stdin: { contents: entry, resolveDir: resolve(program, '..'), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  return outfile
}

export interface Outcome {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  readonly cwd?: string
}

export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { args = [], env = {}, input = '', cwd } = options
  const [file = '', ...rest] = argv
  const child = spawn(file, [...rest, ...args], {
    env: { PATH: process.env.PATH, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  // Ignores EPIPE, because the test program may exit without reading its stdin.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<[number | null, string | null]>((settle, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => settle([code, signal]))
  })
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, signal, stdout, stderr }
}

export interface Both extends Disposable {
  readonly small: string
  onNode(options?: RunOptions): Promise<Outcome>
  onSmall(options?: RunOptions): Promise<Outcome>
}

/** Builds a test program of the folder `programs/` for Node and for the small runtime. */
export async function both(name: string, { onNode = true } = {}): Promise<Both> {
  const folder = mkdtempSync(join(tmpdir(), 'cni-same-'))
  const program = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))
  const forNode = onNode ? buildNode(program, folder) : ''
  const [small, module] = await Promise.all([buildSmall(program, folder), forNode])
  return {
    small,
    onNode: (options) => run([process.execPath, module], options),
    onSmall: (options) => run([small], options),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
