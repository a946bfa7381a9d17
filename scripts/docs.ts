// npm run docs: copies example files into the code blocks of the pages, and builds the site into dist/docs: guide,
// packages, API reference.
import { includeFiles } from './lib/docs.ts'
import { main, step } from './lib/progress.ts'
import { buildSite } from './lib/site/build.ts'

await main(async () => {
  await step('files included in pages', includeFiles)
  await step('the site (typedoc, vitepress)', buildSite)
})
