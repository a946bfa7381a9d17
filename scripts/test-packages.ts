// npm run test:packages: uses every package in an empty project on all supported Node.js versions.
import { buildPackages } from './lib/executables.ts'
import { checkPackagesOffline, checkPackagesOnline, packAndInspect } from './lib/packages.ts'
import { main } from './lib/progress.ts'

await main(async () => {
  await buildPackages()
  const packed = await packAndInspect()
  if (process.argv.includes('--offline')) return checkPackagesOffline(packed)
  await checkPackagesOnline(packed, [20, 22, 24, 26])
})
