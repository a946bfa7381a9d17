import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exec, root } from '../exec.ts'
import { buildFlags, CNI_BUILD } from '../executables.ts'
import { TARGETS } from '../image/runtimes.ts'
import { step } from '../progress.ts'
import { buildRuntime } from '../runtime/build.ts'

/** An executable of this repository that is compiled for arm64. */
export interface Arm64Executable {
  readonly name: 'istio-cni' | 'hello-chain'
  readonly path: string
}

const NAMES = ['istio-cni', 'hello-chain'] as const

/**
 * Compiles the plugins for arm64.
 *
 * @param options - `install` allows installations and downloads
 * @returns `undefined` if the arm64 runtime is missing and `install` is false
 */
export async function buildForArm64({ install }: { install: boolean }): Promise<Arm64Executable[] | undefined> {
  if (install) await buildRuntime('arm64')
  else if (!existsSync(join(root, 'packages/runtime-linux-arm64/bin/cni-runtime'))) return undefined
  const built: Arm64Executable[] = []
  for (const name of NAMES) {
    const path = join(root, 'dist/image-cache/bin/arm64', name)
    const output = [`--target=${TARGETS.arm64.target}`, `--outfile=${path}`, `--bundle=${path}.cjs`, '--incremental']
    await step(`${name} for arm64`, () => exec([...CNI_BUILD, ...buildFlags(name), ...output], { quiet: true }))
    built.push({ name, path })
  }
  return built
}
