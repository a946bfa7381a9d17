import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { conformance } from '@cni/conformance'
import { expect, onTestFinished, test } from 'vitest'
import { startWhoIs } from '../../src/daemon.ts'
import { socketIn } from '../../src/shim.ts'

const plugin = fileURLToPath(new URL('../../../../dist/bin/who-is', import.meta.url))

/** Checks of the plugin's own code. The test of ptp-routed covers the skeleton. */
const only = ['results', 'del', 'check', 'isolation', 'concurrency', 'errors']

test('shim and daemon together conform, without any advice', async () => {
  if (!existsSync(plugin)) throw new Error(`${plugin} is missing: npm run build`)
  // Below /run, as on a node. The suite hides this folder from the shim, except for the shared socket.
  const folder = mkdtempSync('/run/who-is-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using _ = await startWhoIs({ folder, stderr: () => {} })
  const socket = socketIn(folder)
  const report = await conformance({ plugin, chained: true, conf: { socket }, share: [socket], only })
  expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
  expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
}, 120_000)
