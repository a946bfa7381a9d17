// npm run test:scaffold [-- --no-install]: creates projects with npm create cni-plugin and tests them. Needs root and
// the npm registry.
import { ensurePackages } from './lib/debian.ts'
import { buildPackages } from './lib/executables.ts'
import { main } from './lib/progress.ts'
import { testScaffold } from './lib/scaffold.ts'

await main(async () => {
  // The conformance run of a main plugin needs the IPAM plugin host-local from Debian's package.
  await ensurePackages(['containernetworking-plugins'], { install: !process.argv.includes('--no-install') })
  await buildPackages()
  await testScaffold()
})
