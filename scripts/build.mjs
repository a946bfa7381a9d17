// npm run build: the packages' dist folders and every executable in dist/bin.
import { exec } from './lib/exec.mjs'
import { buildExecutables } from './lib/executables.mjs'
import { main, step } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  await step('packages (turbo, tsup)', () =>
    exec(['turbo', 'run', 'build', '--output-logs=errors-only'], { quiet: true }),
  )
  await buildExecutables()
})
