// npm run pack: packs every package as a tarball in dist/packages, for installation in other projects.
import { join } from 'node:path'
import { root } from './lib/exec.ts'
import { buildPackages } from './lib/executables.ts'
import { packAll } from './lib/pack.ts'
import { main, step } from './lib/progress.ts'

await main(async () => {
  await buildPackages()
  await step('tarballs', async () => {
    const packed = await packAll(join(root, 'dist/packages'))
    return { note: `${packed.length} in dist/packages` }
  })
})
