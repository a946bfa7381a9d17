import type { Plugin } from '../definition/plugin.ts'
import { checkSample } from '../describe/check-sample.ts'

/**
 * Does what every call of these plugins does for the first time, so that an executable of `cni-build` has done it: checks
 * a configuration, the one that `--help` shows. The author's handlers do not run.
 */
export async function warmUp(...plugins: readonly Plugin[]): Promise<void> {
  for (const plugin of plugins) await checkSample(plugin)
}
