// npm run version-packages: turns the changesets into the next version and the CHANGELOGs of all packages.
import { root } from './lib/exec.ts'
import { main } from './lib/progress.ts'
import { makeVersion } from './lib/version.ts'

await main(() => makeVersion(root))
