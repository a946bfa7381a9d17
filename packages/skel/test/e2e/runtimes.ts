import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { build } from 'tsup'
import { sample } from '../../../../test/deep.ts'
import { NODE_FLAGS } from '../../../../test/node.ts'

/** A JavaScript runtime for the test plugin. `argv` is the beginning of the command line that runs the plugin. */
export interface Runtime {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  /** True if the runtime has FFI, with which the plugin duplicates stdout. */
  readonly ffi: boolean
}

/** Builds a test plugin for the small runtime and an installed Node.js or bun. */
export async function fixtureRuntimes(fixture = 'plugin'): Promise<{ folder: string; runtimes: Runtime[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'cni-skel-'))
  await build({
    config: false,
    entry: { [fixture]: join(import.meta.dirname, `fixture/${fixture}.ts`) },
    format: ['cjs'],
    outDir: folder,
    platform: 'node',
    target: 'node20',
    noExternal: [/.*/],
    external: ['koffi'],
    minify: true,
    silent: true,
    esbuildOptions(options) {
      options.conditions = ['@cni/source']
      options.logLevel = 'error'
    },
  })
  const bundle = join(folder, `${fixture}.cjs`)
  const nodes = [...new Set([realpathSync(process.execPath), ...nodesOnPath()])]
  const ways: (() => Runtime)[] = [
    ...nodes.map((node) => () => ({ name: nodeVersion(node), argv: [node, bundle] as const, ffi: hasFfi(node) })),
    () => ({ name: 'compiled with bun', argv: [compile(bundle, join(folder, fixture))], ffi: true }),
  ]
  const shipped = { name: 'compiled with the small runtime', argv: [compileSmall(fixture, folder)] as const, ffi: true }
  return { folder, runtimes: [...sample(ways, () => 'another').map((way) => way()), shipped] }
}

function nodesOnPath(): string[] {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return candidates
    .filter((file) => !file.includes('node_modules') && isExecutable(file))
    .map((file) => realpathSync(file))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function nodeVersion(node: string): string {
  return `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`
}

function hasFfi(node: string): boolean {
  const script = 'process.exit(process.getBuiltinModule?.("node:ffi") ? 0 : 1)'
  try {
    execFileSync(node, ['-e', script], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function compile(bundle: string, outfile: string): string {
  const bun = createRequire(import.meta.url).resolve('@oven/bun-linux-x64-baseline/bin/bun')
  const options = [
    '--compile',
    '--bytecode',
    '--minify',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
  ]
  execFileSync(bun, ['build', ...options, bundle, '--outfile', outfile], { stdio: 'pipe' })
  return outfile
}

function compileSmall(fixture: string, folder: string): string {
  const cli = join(import.meta.dirname, '../../../cni-build/src/cli.ts')
  const outfile = join(folder, 'small', fixture)
  const options = ['-o', outfile, '--condition=@cni/source', '--smoke=none', '--no-snapshot']
  const entry = join(import.meta.dirname, `fixture/${fixture}.ts`)
  execFileSync(process.execPath, [...NODE_FLAGS, cli, entry, ...options], { stdio: 'pipe' })
  return outfile
}
