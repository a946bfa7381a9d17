import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { conformance } from '@cni/conformance'
import { expect, test } from 'vitest'

const plugin = fileURLToPath(new URL('../../../../dist/bin/pod-firewall', import.meta.url))

/** Checks of the plugin's own code. The test of ptp-routed covers the skeleton. */
const only = ['results', 'del', 'check', 'isolation', 'concurrency', 'errors']

test('the executable conforms, without any advice', async () => {
  if (!existsSync(plugin)) throw new Error(`${plugin} is missing: npm run build`)
  const report = await conformance({ plugin, chained: true, conf: { deny: ['tcp 22'], allow: ['tcp 80'] }, only })
  expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
  expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
}, 120_000)
