import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exec, root } from '../exec.ts'
import { buildFlags, CNI_BUILD } from '../executables.ts'
import { readPins } from '../image/pins.ts'
import { TARGETS, withRuntime } from '../image/runtimes.ts'
import { step } from '../progress.ts'

/** An executable for arm64. */
export interface Arm64Executable {
  readonly name: 'istio-cni' | 'hello-chain'
  readonly path: string
}

const NAMES = ['istio-cni', 'hello-chain'] as const

/**
 * Compiles the plugins for arm64, with the runtime that images have.
 *
 * @param options - `download`: the runtime may be had from the npm registry
 * @returns `undefined` where it would have to be
 */
export async function buildForArm64({ download }: { download: boolean }): Promise<Arm64Executable[] | undefined> {
  const { target, runtime = '' } = TARGETS.arm64
  const cache = join(root, 'dist/image-cache')
  const folder = join(cache, 'runtime/arm64')
  if (!download && !existsSync(join(folder, 'node_modules', runtime, 'package.json'))) return undefined
  await withRuntime('arm64', readPins(), folder)
  const built: Arm64Executable[] = []
  for (const name of NAMES) {
    const path = join(cache, 'bin/arm64', name)
    const output = [`--target=${target}`, `--outfile=${path}`, `--bundle=${path}.cjs`, '--incremental']
    await step(`${name} for arm64`, () =>
      exec([...CNI_BUILD, ...buildFlags(name), ...output], { quiet: true, cwd: folder }),
    )
    built.push({ name, path })
  }
  return built
}
