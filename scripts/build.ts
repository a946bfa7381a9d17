// npm run build: builds the native programs of the small runtime, the dist folder of every package, and every
// executable in dist/bin.
import { buildExecutables, buildPackages } from './lib/executables.ts'
import { main } from './lib/progress.ts'
import { buildRuntimes } from './lib/runtime/build.ts'

await main(async () => {
  await buildRuntimes()
  await buildPackages()
  await buildExecutables()
})
