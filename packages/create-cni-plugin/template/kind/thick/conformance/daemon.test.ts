import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { conformance } from '@cni/conformance'
import { serveDaemon } from '@cni/skel/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { plugin } from '../src/plugin.ts'

test('shim and daemon together conform to the specification', async () => {
  // Below /run, as on a node. The suite hides this folder from the shim, except for the shared socket.
  const folder = mkdtempSync('/run/@NAME@-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'cni.sock')
  const daemon = await serveDaemon(plugin, { socket, stderr: () => {} })
  onTestFinished(() => daemon.stop())
  const conf = { ...JSON.parse(readFileSync('conformance.json', 'utf8')), socket }
  const report = await conformance({ plugin: 'dist/@NAME@', chained: true, conf, share: [socket] })
  expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
}, 300_000)
