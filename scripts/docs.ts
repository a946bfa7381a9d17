// npm run docs: builds the documentation site, after copying example files into the pages.
import { includeFiles } from './lib/docs.ts'
import { main, step } from './lib/progress.ts'
import { buildSite } from './lib/site/build.ts'

await main(async () => {
  await step('files included in pages', includeFiles)
  await step('the site (typedoc, vitepress)', buildSite)
})
