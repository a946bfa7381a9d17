// npm run test:packages: every package packed, installed and used from an empty project on Node 20, 22, 24 and 26. Needs the npm registry.
import { buildPackages } from './lib/executables.mjs'
import { checkPackagesOffline, checkPackagesOnline, packAndInspect } from './lib/packages.mjs'
import { main } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  await buildPackages()
  const packed = await packAndInspect()
  if (process.argv.includes('--offline')) return checkPackagesOffline(packed)
  await checkPackagesOnline(packed, [20, 22, 24, 26])
})
