import { testPlugin } from '@cni/skel/testing'
import { expect, it } from 'vitest'
import { ptpRouted } from './plugin.ts'

it.each<[object, string]>([
  [{}, 'ipam: missing, expected an object'],
  [{ ipam: {} }, 'ipam.type: missing, expected a string'],
  [{ ipam: { type: 'host-local' }, mtu: 67 }, 'mtu: expected an integer from 68 to 65535, got 67'],
  [{ ipam: { type: 'host-local' }, sysctls: { 'net.ipv4.x': 1 } }, 'sysctls["net.ipv4.x"]: expected a string, got 1'],
])('%j is refused by name', async (conf, msg) => {
  expect((await testPlugin(ptpRouted()).add({ conf: { ...conf } })).error).toEqual({
    cniVersion: '1.1.0',
    code: 7,
    msg,
  })
})
