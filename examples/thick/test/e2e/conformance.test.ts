import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { conformance } from '@cni/conformance'
import { expect, onTestFinished, test } from 'vitest'
import { startWhoIs } from '../../src/daemon.ts'
import { socketIn } from '../../src/shim.ts'

const plugin = fileURLToPath(new URL('../../../../dist/bin/who-is', import.meta.url))

/** What is the plugin's own; what the skeleton answers for all of them is asked of ptp-routed. */
const only = ['results', 'del', 'check', 'isolation', 'concurrency', 'errors']

test('shim and daemon together conform, without any advice', async () => {
  if (!existsSync(plugin)) throw new Error(`${plugin} is missing: npm run build`)
  // Below /run, as it is installed: the suite covers it for the shim, but for the socket that is shared.
  const folder = mkdtempSync('/run/who-is-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using _ = await startWhoIs({ folder, stderr: () => {} })
  const socket = socketIn(folder)
  const report = await conformance({ plugin, chained: true, conf: { socket }, share: [socket], only })
  expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
  expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
}, 120_000)
