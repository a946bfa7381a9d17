import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realExec } from '@cni/invoke'
import { cni, parseNetworkList } from '@cni/libcni'
import { netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, onTestFinished, test } from 'vitest'
import { install } from './given.ts'

const name = `ipam-test-${process.pid}`
const leases = `/run/cni/@NAME@/${name}`
const list = parseNetworkList(
  JSON.stringify({
    cniVersion: '1.0.0',
    name,
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipam: {
          type: '@NAME@',
          ranges: [{ subnet: '10.88.0.0/24' }, { subnet: 'fd88::/64' }],
          routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
        },
      },
    ],
  }),
)

test('the bridge plugin of the distribution gets its addresses from it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-'))
  onTestFinished(() => {
    for (const each of [folder, leases]) rmSync(each, { recursive: true, force: true })
  })
  install(folder)
  await using node = await tempNetns()
  await using web = await tempNetns()
  await using db = await tempNetns()
  const exec = realExec({ start: (argv, options) => netns.start(node, argv, options) })
  const runtime = cni({ path: [folder, '/opt/cni/bin', '/usr/lib/cni'], cacheDir: join(folder, 'cache'), exec })
  const webAttachment = { containerID: 'web', netns: web.path, ifName: 'eth0' }
  const dbAttachment = { containerID: 'db', netns: db.path, ifName: 'eth0' }

  await runtime.add(list, webAttachment)
  await runtime.check(list, webAttachment)
  const { result } = await runtime.add(list, dbAttachment)
  expect(result.ips?.map(({ address }) => address)).toEqual(['10.88.0.3/24', 'fd88::3/64'])
  using pod = await openRtnl(db)
  const addresses = (await pod.getAddresses({ link: 'eth0' })).map(({ cidr }) => cidr)
  expect(addresses).toEqual(expect.arrayContaining(['10.88.0.3/24', 'fd88::3/64']))

  await runtime.del(list, webAttachment)
  expect(readdirSync(leases)).toEqual(['10.88.0.3', 'fd88::3', 'lock'])
  await runtime.del(list, dbAttachment)
  expect(existsSync(join(leases, '10.88.0.3'))).toBe(false)
}, 60_000)
