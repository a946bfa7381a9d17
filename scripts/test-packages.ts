// npm run test:packages: packs every package, and installs and uses it in an empty project on Node.js 20, 22, 24 and
// 26. Needs the npm registry.
import { buildPackages } from './lib/executables.ts'
import { checkPackagesOffline, checkPackagesOnline, packAndInspect } from './lib/packages.ts'
import { main } from './lib/progress.ts'

await main(async () => {
  await buildPackages()
  const packed = await packAndInspect()
  if (process.argv.includes('--offline')) return checkPackagesOffline(packed)
  await checkPackagesOnline(packed, [20, 22, 24, 26])
})
