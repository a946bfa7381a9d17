import { fakeExec } from '@cni/invoke/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { lease } from './plugin.ts'

const conf = { ipam: { type: 'host-local' } }
/** Like Debian's host-local, this plugin supports 1.0.0, and the configuration uses 1.1.0. */
const old = {
  VERSION: { cniVersion: '1.0.0', supportedVersions: ['0.4.0', '1.0.0'] },
  ADD: { cniVersion: '1.0.0', ips: [{ address: '10.1.0.2/24', gateway: '10.1.0.1' }], routes: [{ dst: '0.0.0.0/0' }] },
}

test('an address is leased for the interface, and released', async () => {
  const exec = fakeExec({ 'host-local': old })
  const tester = testPlugin(lease({ exec }), { conf, path: ['/opt/cni/bin'] })
  const { result } = await tester.add()
  expect(result?.ips).toEqual([{ address: '10.1.0.2/24', gateway: '10.1.0.1', interface: 0 }])
  await tester.del()
  const asked = exec.calls.map((call) => `${call.command} ${call.conf.cniVersion}`)
  expect(asked).toEqual(['ADD 1.1.0', 'ADD 1.0.0', 'DEL 1.1.0', 'DEL 1.0.0'])
})

test('a failed ADD has the code of the IPAM plugin, and keeps no lease', async () => {
  const full = () => Promise.reject(new Error('no IP addresses available'))
  const exec = fakeExec({ 'host-local': { ADD: full } })
  const { error } = await testPlugin(lease({ exec }), { conf, path: ['/opt/cni/bin'] }).add()
  expect(error?.msg).toBe('no IP addresses available')
  expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'DEL'])
})

test('GC reports why it did not call an IPAM plugin older than 1.1.0', async () => {
  const exec = fakeExec({ 'host-local': old })
  const tester = testPlugin(lease({ exec }), { conf, path: ['/opt/cni/bin'] })
  const { exitCode, log } = await tester.gc({ validAttachments: [] })
  expect(exitCode).toBe(0)
  expect(log.at(-1)?.msg).toBe('GC came with version 1.1.0, and host-local knows 1.0.0 at most')
})
