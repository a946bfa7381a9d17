import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { run } from '@cni/host'
import { build } from 'esbuild'
import { NODE } from '../../../test/node.ts'

const here = import.meta.dirname
const require = createRequire(import.meta.url)

/** Programs of the JavaScript runtimes under test: the pinned Node.js, an older Node.js without node:ffi, bun. */
export const runtimes = {
  node26: process.execPath,
  oldNode: findOldNode(),
  bun: require.resolve('@oven/bun-linux-x64-baseline/package.json').replace('package.json', 'bin/bun'),
}

/** Bundles a test program below the package's node_modules, because the program must find the package koffi. */
export async function bundleFixture(
  entry = join(here, 'fixtures/main.ts'),
): Promise<{ cjs: string; esm: string; remove(): void }> {
  const folder = mkdtempSync(join(here, '../node_modules/.cni-fixture-'))
  const outputs = { cjs: join(folder, 'main.cjs'), esm: join(folder, 'main.mjs') }
  for (const format of ['cjs', 'esm'] as const) {
    await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      target: 'node20',
      conditions: ['@cni/source'],
      format,
      outfile: outputs[format],
      logOverride: { 'empty-import-meta': 'silent' },
    })
  }
  return { ...outputs, remove: () => rmSync(folder, { recursive: true }) }
}

/** Compiles a test program to one executable, as plugins and agents are shipped. */
export async function compile(
  folder: string,
  runtime: 'small' | 'bun',
  entry = join(here, 'fixtures/main.ts'),
): Promise<string> {
  const outfile = join(folder, `main-${runtime}`)
  const flags = [`--runtime=${runtime}`, '--condition=@cni/source', '--no-snapshot', '--smoke=none']
  await run([...CNI_BUILD, entry, '-o', outfile, ...flags], { timeout: 25_000 })
  return outfile
}

const CNI_BUILD = [...NODE, join(here, '../../cni-build/src/cli.ts')] as const

/** Runs a test program and parses the JSON report that it prints. */
export async function fixture(...argv: [string, ...string[]]): Promise<{ report: unknown; stderr: string }> {
  // Removes NODE_PATH, which would let Node.js find koffi from any folder.
  const { NODE_PATH: _, ...env } = process.env
  const { stdout, stderr } = await run(argv, { timeout: 20_000, env })
  return { report: JSON.parse(stdout), stderr }
}

function findOldNode(): string {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/local/bin', '/usr/bin']
  for (const folder of folders) {
    const candidate = join(folder, 'node')
    if (!existsSync(candidate)) continue
    const version = execFileSync(candidate, ['--version'], { encoding: 'utf8' })
    if (Number(version.slice(1).split('.')[0]) < 26) return candidate
  }
  throw new Error('These tests need a Node older than 26 (20.19 or later) in PATH beside the pinned one')
}
