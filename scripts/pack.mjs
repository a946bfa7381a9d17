// npm run pack: every package as a tarball in dist/packages, to be installed in a project elsewhere.
import { join } from 'node:path'
import { root } from './lib/exec.mjs'
import { buildPackages } from './lib/executables.mjs'
import { packAll } from './lib/pack.mjs'
import { main, step } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  await buildPackages()
  await step('tarballs', async () => {
    const packed = await packAll(join(root, 'dist/packages'))
    return { note: `${packed.length} in dist/packages` }
  })
})
