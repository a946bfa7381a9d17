// npm run test:scaffold [-- --no-install]: creates projects with npm create cni-plugin from tarballs, as a new user
// does. Uses every pair of options on Node.js 20, and every kind on the newest Node.js. Runs the tests, build and
// conformance run of each project. Needs root and the npm registry. Takes seven minutes.
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
