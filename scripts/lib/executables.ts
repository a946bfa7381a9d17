import { join } from 'node:path'
import { exec, node26, root } from './exec.ts'
import { step } from './progress.ts'

/** Every executable of the repository: its entry, and how it shows that it runs. */
export const EXECUTABLES = {
  'istio-cni': { entry: 'packages/istio-redirect/src/plugin/main.ts', smoke: 'plugin' },
  'install-cni': { entry: 'packages/istio-redirect/src/agent/main.ts', smoke: 'command', jit: 'normal' },
  'istio-redirect': { entry: 'packages/istio-redirect/src/tools/main.ts', smoke: 'command' },
  'hello-chain': { entry: 'examples/hello-chain/src/main.ts', smoke: 'plugin' },
  'contiv-proxy': { entry: 'examples/contiv-proxy/src/main.ts', smoke: 'plugin' },
  'pod-firewall': { entry: 'examples/firewall/src/main.ts', smoke: 'plugin' },
  'ptp-routed': { entry: 'examples/ptp-routed/src/main.ts', smoke: 'plugin' },
  'who-is': { entry: 'examples/thick/src/main.ts', smoke: 'plugin' },
  cnitool: { entry: 'packages/libcni/src/cli.ts', smoke: 'command' },
  'cni-build': { entry: 'packages/build/src/cli.ts', smoke: 'command', jit: 'normal' },
  'cni-conformance': { entry: 'packages/conformance/src/cli.ts', smoke: 'command' },
} as const

export type ExecutableName = keyof typeof EXECUTABLES

const isExecutable = (name: string): name is ExecutableName => name in EXECUTABLES

/** The `dist` folder of every package. */
export const buildPackages = () =>
  step('packages (turbo, tsup)', () => exec(['turbo', 'run', 'build', '--output-logs=errors-only'], { quiet: true }))

/**
 * Leave `dist/bin/<name>` (one compiled file) and `dist/bundle/<name>.cjs` (the same source for Node).
 *
 * @param names - default: all
 */
export async function buildExecutables(
  names: readonly ExecutableName[] = Object.keys(EXECUTABLES).filter(isExecutable),
) {
  for (const name of names) {
    await step(`dist/bin/${name}`, async () => {
      const { entry, smoke, jit } = { jit: 'late', ...EXECUTABLES[name] }
      const json = await exec(
        [
          node26,
          '--conditions=@cni/source',
          'packages/build/src/cli.ts',
          entry,
          '--condition=@cni/source',
          `--outfile=${join(root, 'dist/bin', name)}`,
          `--bundle=${join(root, 'dist/bundle', `${name}.cjs`)}`,
          `--smoke=${smoke}`,
          `--jit=${jit}`,
          '--incremental',
          '--json',
        ],
        { quiet: true },
      )
      const built = JSON.parse(json)
      const size = `${(built.bytes / 1e6).toFixed(0)} MB, bundle ${(built.bundleBytes / 1e3).toFixed(0)} kB`
      return { note: `${size}${built.compiled ? '' : ', unchanged'}` }
    })
  }
}
