import { fakeExec } from '@cni/invoke/testing'
import { fakeRtnl, fakeSysctl } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import { hostLinkOf } from './plan.ts'
import { ptpRouted } from './plugin.ts'

const hostLinkFor = (containerID: string) => hostLinkOf({ networkName: 'test', containerID, ifName: 'eth0' })

describe('with a fake kernel and a fake IPAM plugin', () => {
  function onto(knowsGc: boolean) {
    const node = fakeRtnl()
    const settings = fakeSysctl({ 'net.ipv4.ip_forward': 0 })
    const exec = fakeExec({
      'host-local': {
        VERSION: { cniVersion: '1.1.0', supportedVersions: knowsGc ? ['1.0.0', '1.1.0'] : ['1.0.0'] },
        ADD: {
          cniVersion: '1.0.0',
          ips: [{ address: '10.1.0.5/24', gateway: '10.1.0.1' }],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    })
    const plugin = ptpRouted({ delegates: { exec }, openRtnl: node.open, sysctl: settings.open })
    const conf = { cniVersion: '1.0.0', ipam: { type: 'host-local' } }
    const asked = () => exec.calls.map(({ command, env }) => `${command} ${env.CNI_CONTAINERID ?? ''}`.trim())
    return { node, settings, asked, tester: testPlugin(plugin, { conf, path: ['/opt/cni/bin'] }) }
  }

  it('ADD connects the pod and enables forwarding, CHECK succeeds, DEL disconnects it and then releases the address', async () => {
    const { node, settings, asked, tester } = onto(true)
    const { result } = await tester.add({ containerID: 'web' })
    expect(result?.ips).toEqual([{ address: '10.1.0.5/32', gateway: '10.1.0.1', interface: 1 }])
    const link = hostLinkFor('web')
    expect(await node.getRoutes({ link })).toContainEqual(expect.objectContaining({ cidr: '10.1.0.5/32' }))
    expect(await settings.get('net.ipv4.ip_forward')).toBe('1')
    expect((await tester.check({ containerID: 'web', prevResult: result })).exitCode).toBe(0)
    await node.setLinkDown(link)
    expect((await tester.check({ containerID: 'web', prevResult: result })).error?.details).toContain(`${link} is down`)
    expect((await tester.del({ containerID: 'web', netns: 'missing', conf: { mtu: 'x' } })).exitCode).toBe(0)
    expect(await node.getLink(link)).toBeUndefined()
    expect(asked()).toEqual(['ADD web', 'CHECK web', 'CHECK web', 'DEL web'])
  })

  it.each([true, false])(
    'GC disconnects stale attachments and calls the IPAM plugin (it knows GC: %s)',
    async (knowsGc) => {
      const { node, asked, tester } = onto(knowsGc)
      await tester.add({ containerID: 'gone' })
      expect((await tester.gc({ conf: { cniVersion: '1.1.0' }, validAttachments: [] })).exitCode).toBe(0)
      expect(await node.getLink(hostLinkFor('gone'))).toBeUndefined()
      expect(asked()).toContain(knowsGc ? 'GC' : 'DEL gone')
      expect(asked()).not.toContain(knowsGc ? 'DEL gone' : 'GC')
    },
  )
})

it.each<[object, string]>([
  [{}, 'ipam: missing, expected an object'],
  [{ ipam: {} }, 'ipam.type: missing, expected a string'],
  [{ ipam: { type: 'host-local' }, mtu: 67 }, 'mtu: expected an integer from 68 to 65535, got 67'],
  [{ ipam: { type: 'host-local' }, sysctls: { 'net.ipv4.x': 1 } }, 'sysctls["net.ipv4.x"]: expected a string, got 1'],
])('%j is rejected, and the error names the member', async (conf, msg) => {
  expect((await testPlugin(ptpRouted()).add({ conf: { ...conf } })).error).toEqual({
    cniVersion: '1.1.0',
    code: 7,
    msg,
  })
})
