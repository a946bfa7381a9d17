import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeExec } from '@cni/invoke/testing'
import { cni } from '@cni/libcni'
import { expect, onTestFinished, test } from 'vitest'
import { tryNetwork } from './run-chain.ts'

test('every plugin of the chain is called, and DEL in reverse order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chain-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const plugins = [{ type: 'bridge' }, { type: 'firewall' }]
  writeFileSync(join(folder, '10-pods.conflist'), JSON.stringify({ cniVersion: '1.0.0', name: 'pods', plugins }))
  const exec = fakeExec({ bridge: { ADD: { cniVersion: '1.0.0', ips: [{ address: '10.1.0.2/24' }] } }, firewall: {} })

  const runtime = cni({ path: ['/bin'], cacheDir: folder, exec })
  const result = await tryNetwork(runtime, folder, 'pods', '/run/netns/c1')

  expect(result.ips?.[0]?.address).toBe('10.1.0.2/24')
  expect(exec.calls.map(({ command, conf }) => `${command} ${conf.type}`)).toEqual([
    'ADD bridge',
    'ADD firewall',
    'CHECK bridge',
    'CHECK firewall',
    'DEL firewall',
    'DEL bridge',
  ])
})
