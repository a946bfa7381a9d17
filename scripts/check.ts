// npm run check: everything that looks at the sources and packages without running them.
import { check } from './lib/check.ts'
import { main } from './lib/progress.ts'

await main(check)
