// npm run docs: the files that pages include put into them, and the API reference with the guide in dist/docs.
import { includeFiles } from './lib/docs.ts'
import { main, step } from './lib/progress.ts'
import { buildReference } from './lib/reference.ts'

await main(async () => {
  await step('files included in pages', includeFiles)
  await step('API reference (typedoc)', buildReference)
})
