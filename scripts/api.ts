// npm run api: writes the packages' public names and types to api/, for `npm test`.
import { buildPackages } from './lib/executables.ts'
import { main, step } from './lib/progress.ts'
import { writeApi } from './lib/public-api.ts'

await main(async () => {
  await buildPackages()
  await step('public API (api/*.txt)', writeApi)
})
