// npm run version-packages: what .changeset holds becomes the next version of all packages, and their CHANGELOGs.
import { root } from './lib/exec.ts'
import { main } from './lib/progress.ts'
import { makeVersion } from './lib/version.ts'

await main(() => makeVersion(root))
