// npm run pack: every package as a tarball in dist/packages, to be installed in a project elsewhere.
import { join } from 'node:path'
import { exec, root } from './lib/exec.mjs'
import { packAll } from './lib/pack.mjs'
import { main, step } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  await step('packages (turbo, tsup)', () =>
    exec(['turbo', 'run', 'build', '--output-logs=errors-only'], { quiet: true }),
  )
  await step('tarballs', async () => {
    const packed = await packAll(join(root, 'dist/packages'))
    return { note: `${packed.length} in dist/packages` }
  })
})
