// npm run docs: writes included files into the pages, and the site into dist/docs: guide, packages, API reference.
import { includeFiles } from './lib/docs.ts'
import { main, step } from './lib/progress.ts'
import { buildSite } from './lib/site/build.ts'

await main(async () => {
  await step('files included in pages', includeFiles)
  await step('the site (typedoc, vitepress)', buildSite)
})
