import type { Plugin } from '../definition/plugin.ts'
import { checkSample } from '../describe/check-sample.ts'

/** Validates a sample configuration in advance, for the snapshot in an executable of `cni-build`. */
export async function warmUp(...plugins: readonly Plugin[]): Promise<void> {
  for (const plugin of plugins) await checkSample(plugin)
}
