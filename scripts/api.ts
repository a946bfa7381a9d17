// npm run api: record what every package offers (names and types, without comments) in api/; `npm test` fails when they differ.
import { buildPackages } from './lib/executables.ts'
import { main, step } from './lib/progress.ts'
import { writeApi } from './lib/public-api.ts'

await main(async () => {
  await buildPackages()
  await step('public API (api/*.txt)', writeApi)
})
