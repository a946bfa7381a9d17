// npm run api: records the public names and types of every package in api/, without comments. `npm test` fails if they
// differ.
import { buildPackages } from './lib/executables.ts'
import { main, step } from './lib/progress.ts'
import { writeApi } from './lib/public-api.ts'

await main(async () => {
  await buildPackages()
  await step('public API (api/*.txt)', writeApi)
})
