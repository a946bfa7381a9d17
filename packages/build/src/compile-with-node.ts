import { copyFileSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { run } from '@cni/host'
import type { Tools } from './tools.ts'

/**
 * `node --build-sea` (Node 26). `execArgvExtension` is what keeps `NODE_OPTIONS` out; no code cache, because it would
 * differ from build to build and gains nothing measurable at this size.
 */
export const seaConfig = (bundle: string, base: string, outfile: string) => ({
  main: bundle,
  output: outfile,
  executable: base,
  disableExperimentalSEAWarning: true,
  useCodeCache: false,
  useSnapshot: false,
  execArgv: ['--disable-warning=ExperimentalWarning'],
  execArgvExtension: 'none',
})

/** A single-executable application of Node: the runtime without its symbols (33 MB less), and the bundle. */
export async function compileWithNode(
  { compiler, base }: Tools,
  /** Both in one folder. */
  { bundle, outfile, signal }: { bundle: string; outfile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const cwd = dirname(outfile)
  const runtime = `${outfile}.runtime`
  const config = `${outfile}.json`
  copyFileSync(base, runtime)
  // Before the bundle goes in, whose section strip would not know. Without binutils, or for another machine, it stays long.
  await run(['strip', runtime], { reject: false, signal })
  // Names without a folder: that of the bundle goes into the file.
  writeFileSync(config, JSON.stringify(seaConfig(basename(bundle), basename(runtime), basename(outfile))))
  await run([compiler, '--build-sea', config], { cwd, env: {}, signal })
}
