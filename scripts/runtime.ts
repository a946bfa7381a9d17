// npm run runtime [-- --processor x64 --verify]: builds the native programs of the small runtime.
// --processor: x64, arm64; default: all with an installed compiler.
// --verify: builds again and compares the bytes.
import { parsed } from './lib/options.ts'
import { main, Stop } from './lib/progress.ts'
import { buildRuntime, buildRuntimes, verifyRuntime } from './lib/runtime/build.ts'
import { PROCESSORS, type Processor } from './lib/runtime/pins.ts'

await main(async () => {
  const { values } = parsed({
    options: { processor: { type: 'string', multiple: true }, verify: { type: 'boolean', default: false } },
  })
  const wanted = values.processor?.map(findProcessor)
  if (wanted === undefined) await buildRuntimes()
  for (const processor of wanted ?? []) await buildRuntime(processor)
  if (values.verify) for (const processor of wanted ?? PROCESSORS) await verifyRuntime(processor)
})

function findProcessor(name: string): Processor {
  const found = PROCESSORS.find((processor) => processor === name)
  if (found !== undefined) return found
  throw new Stop(`--processor: expected one of ${PROCESSORS.join(', ')}, got ${JSON.stringify(name)}`, 2)
}
