// npm run docs: the files that pages include put into them, and the API reference with the guide in dist/docs.
import { includeFiles } from './lib/docs.mjs'
import { main, step } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  await step('files included in pages', includeFiles)
  // Loaded at use: on a fresh clone typedoc is installed only by now.
  const { buildReference } = await import('./lib/reference.mjs')
  await step('API reference (typedoc)', buildReference)
})
