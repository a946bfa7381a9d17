// npm run test:scaffold [-- --no-install]: what npm create cni-plugin leaves, from tarballs, as a new user would type it: every pair of choices on
// Node 20, every kind on the newest; tests without root, on the kernel, the build and the conformance run. Needs root and the
// npm registry; seven minutes.
import { ensurePackages } from './lib/debian.ts'
import { buildPackages } from './lib/executables.ts'
import { main } from './lib/progress.ts'
import { testScaffold } from './lib/scaffold.ts'

await main(async () => {
  // The conformance run of a main plugin has its addresses of host-local.
  await ensurePackages(['containernetworking-plugins'], { install: !process.argv.includes('--no-install') })
  await buildPackages()
  await testScaffold()
})
