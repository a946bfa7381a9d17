import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { conformance } from '@cni/conformance'
import { expect, test } from 'vitest'

const plugin = fileURLToPath(new URL('../../../../dist/bin/ptp-routed', import.meta.url))

test("the executable conforms, with Debian's host-local for its addresses", async () => {
  if (!existsSync(plugin)) throw new Error(`${plugin} is missing: npm run build`)
  const conf = {
    ipam: { type: 'host-local', ranges: [[{ subnet: '10.78.0.0/16' }]], routes: [{ dst: '0.0.0.0/0' }] },
    sysctls: { 'net.ipv4.conf.IFNAME.arp_notify': '1' },
  }
  const report = await conformance({ plugin, conf })
  expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
  expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
}, 120_000)
