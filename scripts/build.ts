// npm run build: builds all native programs, dist folders of packages, and executables.
import { buildExecutables, buildPackages } from './lib/executables.ts'
import { main } from './lib/progress.ts'
import { buildRuntimes } from './lib/runtime/build.ts'

await main(async () => {
  await buildRuntimes()
  await buildPackages()
  await buildExecutables()
})
