// npm run check: checks sources and packages by lint, types and other rules, without running tests.
import { check } from './lib/check.ts'
import { main } from './lib/progress.ts'

await main(check)
