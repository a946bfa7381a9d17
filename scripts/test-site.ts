// npm run test:site: builds the site and tests it in chromium. Pictures are in dist/site-pictures.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/exec.ts'
import { main, Stop, say, step } from './lib/progress.ts'
import { buildSite } from './lib/site/build.ts'
import { visitPlayground } from './lib/site/playground/visit.ts'
import { visitSite } from './lib/site/visit.ts'

const pictures = join(root, 'dist/site-pictures')

await main(async () => {
  const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
  if (program === undefined) throw new Stop('skipped: no chromium here. To run it: apt-get install chromium', 77)
  await step('the site (typedoc, vitepress)', buildSite)
  await visitSite(program, pictures)
  await visitPlayground(program, pictures)
  say(`  Pictures: ${pictures}`)
})
