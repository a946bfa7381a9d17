// npm run build: the packages' dist folders and every executable in dist/bin.
import { buildExecutables, buildPackages } from './lib/executables.mjs'
import { main } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  await buildPackages()
  await buildExecutables()
})
