import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tempNetns } from '@cni/netns/testing'
import { serveDaemon, shim } from '@cni/skel/daemon'
import { testPlugin } from '@cni/skel/testing'
import { expect, onTestFinished, test } from 'vitest'
import { plugin } from '../src/plugin.ts'
import { SHIM } from '../src/shim.ts'
import { conf, tamper } from './given.ts'

test('the shim waits for its daemon, which changes the pod', async () => {
  await using pod = await tempNetns()
  const folder = mkdtempSync(join(tmpdir(), 'daemon-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'cni.sock')
  // The shim itself is not chained: the daemon uses the prevResult.
  const prevResult = { cniVersion: '1.1.0', ips: [{ address: '10.42.0.5/24' }] }
  const tester = testPlugin(shim({ ...SHIM, pollInterval: 10 }), { netns: pod, prevResult, conf: { ...conf, socket } })

  const adding = tester.add()
  const daemon = await serveDaemon(plugin, { socket, stderr: () => {} })
  onTestFinished(() => daemon.stop())
  expect(await adding).toMatchObject({ exitCode: 0 })
  expect(await tester.check()).toMatchObject({ exitCode: 0 })
  await tamper(pod)
  expect(await tester.check()).toMatchObject({ error: { code: 100 } })
  expect(await tester.del()).toMatchObject({ exitCode: 0 })
})
