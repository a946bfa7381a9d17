// npm run api: writes the public names and types of every package to api/, without comments. If the public API differs
// from api/, `npm test` fails.
import { buildPackages } from './lib/executables.ts'
import { main, step } from './lib/progress.ts'
import { writeApi } from './lib/public-api.ts'

await main(async () => {
  await buildPackages()
  await step('public API (api/*.txt)', writeApi)
})
