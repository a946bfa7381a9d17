import type { Plugin } from '../definition/plugin.ts'
import { checkSample } from '../describe/check-sample.ts'

/**
 * Runs code of the first CNI call in advance, for the snapshot in an executable of `cni-build`: validates the sample
 * configuration of `--help`. Does not run the plugin's handlers.
 */
export async function warmUp(...plugins: readonly Plugin[]): Promise<void> {
  for (const plugin of plugins) await checkSample(plugin)
}
