import { join } from 'node:path'
import { NODE_FLAGS } from '../../test/node.ts'
import { exec, node26, root } from './exec.ts'
import { step } from './progress.ts'
import { buildRuntime } from './runtime/build.ts'

/** All executables. Plugins use the small runtime; programs that need all of Node.js use bun. */
export const EXECUTABLES = {
  'istio-cni': { entry: 'packages/istio-redirect/src/plugin/main.ts', smoke: 'plugin' },
  'install-cni': { entry: 'packages/istio-redirect/src/agent/main.ts', smoke: 'command', runtime: 'bun' },
  'istio-redirect': { entry: 'packages/istio-redirect/src/tools/main.ts', smoke: 'command', runtime: 'bun' },
  'hello-chain': { entry: 'examples/hello-chain/src/main.ts', smoke: 'plugin' },
  'contiv-proxy': { entry: 'examples/contiv-proxy/src/main.ts', smoke: 'plugin' },
  'pod-firewall': { entry: 'examples/firewall/src/main.ts', smoke: 'plugin' },
  'ptp-routed': { entry: 'examples/ptp-routed/src/main.ts', smoke: 'plugin' },
  'who-is': { entry: 'examples/thick/src/main.ts', smoke: 'plugin' },
  cnitool: { entry: 'packages/libcni/src/cli.ts', smoke: 'command' },
  'cni-build': { entry: 'packages/cni-build/src/cli.ts', smoke: 'command', runtime: 'bun' },
  'cni-conformance': { entry: 'packages/conformance/src/cli.ts', smoke: 'command' },
} as const

export type ExecutableName = keyof typeof EXECUTABLES

const isExecutable = (name: string): name is ExecutableName => name in EXECUTABLES

/** Builds the `dist` folder of every package. */
export const buildPackages = () =>
  step('packages (turbo, tsup)', () => exec(['turbo', 'run', 'build', '--output-logs=errors-only'], { quiet: true }))

/** Options with which `cni-build` builds an executable of this repository, without the option for the output file. */
export function buildFlags(name: ExecutableName): string[] {
  const { entry, smoke, runtime } = { runtime: 'small', ...EXECUTABLES[name] }
  return [join(root, entry), '--condition=@cni/source', `--runtime=${runtime}`, `--smoke=${smoke}`]
}

/** Command line that runs the tool `cni-build` from its TypeScript source. */
export const CNI_BUILD = [node26, ...NODE_FLAGS, join(root, 'packages/cni-build/src/cli.ts')] as const

/**
 * Builds `dist/bin/<name>` and the Node.js bundle `dist/bundle/<name>.cjs` for each name.
 *
 * @param names - names of the executables; default: all
 */
export async function buildExecutables(
  names: readonly ExecutableName[] = Object.keys(EXECUTABLES).filter(isExecutable),
) {
  await buildRuntime('x64')
  for (const name of names) {
    await step(`dist/bin/${name}`, async () => {
      const bundle = join(root, 'dist/bundle', `${name}.cjs`)
      const output = [`--outfile=${join(root, 'dist/bin', name)}`, `--bundle=${bundle}`, '--incremental', '--json']
      const json = await exec([...CNI_BUILD, ...buildFlags(name), ...output], { quiet: true })
      const built = JSON.parse(json)
      const size = `${(built.bytes / 1e6).toFixed(1)} MB, bundle ${(built.bundleBytes / 1e3).toFixed(0)} kB`
      return { note: `${size}${built.compiled ? '' : ', unchanged'}` }
    })
  }
}
