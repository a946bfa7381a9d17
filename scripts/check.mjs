// npm run check: everything that looks at the sources and packages without running them.
import { check } from './lib/check.mjs'
import { main } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  await check()
})
