import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { conformance } from '../../src/conformance.ts'

const plugin = fileURLToPath(new URL('../../../../dist/bin/hello-chain', import.meta.url))
const missing =
  process.getuid?.() === 0 ? (existsSync(plugin) ? '' : ' (skipped: npm run build makes it)') : ' (skipped: needs root)'

describe.runIf(missing === '')(`the compiled hello-chain${missing}`, () => {
  test('conforms, without any advice', async () => {
    const report = await conformance({ plugin, chained: true, conf: { port: 15001 } })
    expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
    expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
    const skipped = report.results.filter(({ outcome }) => outcome.status === 'skipped').map(({ id }) => id)
    expect(skipped).toEqual(['add.exists'])
  }, 120_000)
})
