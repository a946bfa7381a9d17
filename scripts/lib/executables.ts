import { copyFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { exec, node26, root } from './exec.ts'
import { step } from './progress.ts'
import { buildRuntime } from './runtime/build.ts'

/**
 * Every executable of the repository: its entry, and how it shows that it runs; or the one that it is another name of.
 * Plugins have the small runtime; processes that stay, and tools that need all of Node, have bun.
 */
export const EXECUTABLES = {
  'istio-cni': {
    entry: 'packages/istio-redirect/src/plugin/main.ts',
    smoke: 'plugin',
    runtime: 'bun',
    programs: { 'install-cni': 'packages/istio-redirect/src/agent/main.ts' },
  },
  'install-cni': { within: 'istio-cni' },
  'istio-redirect': { entry: 'packages/istio-redirect/src/tools/main.ts', smoke: 'command', runtime: 'bun' },
  'hello-chain': { entry: 'examples/hello-chain/src/main.ts', smoke: 'plugin' },
  'contiv-proxy': { entry: 'examples/contiv-proxy/src/main.ts', smoke: 'plugin' },
  'pod-firewall': { entry: 'examples/firewall/src/main.ts', smoke: 'plugin' },
  'ptp-routed': { entry: 'examples/ptp-routed/src/main.ts', smoke: 'plugin' },
  'who-is': { entry: 'examples/thick/src/main.ts', smoke: 'plugin' },
  cnitool: { entry: 'packages/libcni/src/cli.ts', smoke: 'command' },
  'cni-build': { entry: 'packages/build/src/cli.ts', smoke: 'command', runtime: 'bun', jit: 'normal' },
  'cni-conformance': { entry: 'packages/conformance/src/cli.ts', smoke: 'command' },
} as const

export type ExecutableName = keyof typeof EXECUTABLES

/** Those that are a file of their own. */
type FileName = {
  [N in ExecutableName]: (typeof EXECUTABLES)[N] extends { within: string } ? never : N
}[ExecutableName]

function fileOf(name: ExecutableName): FileName {
  return name === 'install-cni' ? EXECUTABLES[name].within : name
}

const isExecutable = (name: string): name is ExecutableName => name in EXECUTABLES

/** The `dist` folder of every package. */
export const buildPackages = () =>
  step('packages (turbo, tsup)', () => exec(['turbo', 'run', 'build', '--output-logs=errors-only'], { quiet: true }))

/** The flags of `cni-build` for an executable of this repository, without where it goes. */
export function buildFlags(name: FileName): string[] {
  const { entry, smoke, runtime, jit, programs } = { runtime: 'small', jit: 'late', programs: {}, ...EXECUTABLES[name] }
  const others = Object.entries(programs).map(([other, itsEntry]) => `--program=${other}=${join(root, itsEntry)}`)
  const flags = [`--runtime=${runtime}`, `--smoke=${smoke}`, `--jit=${jit}`]
  return [join(root, entry), '--condition=@cni/source', ...flags, ...others]
}

/** `cni-build` from its source. */
export const CNI_BUILD = [node26, '--conditions=@cni/source', join(root, 'packages/build/src/cli.ts')] as const

/**
 * Leave `dist/bin/<name>` (one compiled file, which may have several names) and `dist/bundle/<name>.cjs` (the same
 * source for Node).
 *
 * @param names - default: all
 */
export async function buildExecutables(
  names: readonly ExecutableName[] = Object.keys(EXECUTABLES).filter(isExecutable),
) {
  await buildRuntime('x64')
  for (const name of new Set(names.map(fileOf))) {
    await step(`dist/bin/${name}`, async () => {
      const bundle = join(root, 'dist/bundle', `${name}.cjs`)
      const output = [`--outfile=${join(root, 'dist/bin', name)}`, `--bundle=${bundle}`, '--incremental', '--json']
      const json = await exec([...CNI_BUILD, ...buildFlags(name), ...output], { quiet: true })
      const built = JSON.parse(json)
      for (const path of built.names) copyFileSync(bundle, join(root, 'dist/bundle', `${basename(path)}.cjs`))
      const size = `${(built.bytes / 1e6).toFixed(1)} MB, bundle ${(built.bundleBytes / 1e3).toFixed(0)} kB`
      return { note: `${size}${built.compiled ? '' : ', unchanged'}` }
    })
  }
}
