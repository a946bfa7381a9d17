// npm run check: checks sources and packages without running them.
import { check } from './lib/check.ts'
import { main } from './lib/progress.ts'

await main(check)
