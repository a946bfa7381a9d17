// npm run build: the packages' dist folders and every executable in dist/bin.
import { buildExecutables, buildPackages } from './lib/executables.ts'
import { main } from './lib/progress.ts'

await main(async () => {
  await buildPackages()
  await buildExecutables()
})
