import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { realExec } from '@cni/invoke'
import { cni, parseNetworkList } from '@cni/libcni'
import { netns, openRtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hostLinkOf } from '../../src/plan.ts'

const dist = fileURLToPath(new URL('../../../../dist', import.meta.url))
const DEBIAN = '/usr/lib/cni'

// The plugin's state folder on this machine. It stays after its last file is removed.
const STATE = '/run/cni/ptp-routed'

let folder: string
let hadState: boolean
beforeEach(() => {
  hadState = existsSync(STATE)
  folder = mkdtempSync(join(tmpdir(), 'ptp-chain-'))
  mkdirSync(join(folder, 'bin'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  // Fails if a file is left.
  if (!hadState) rmdirSync(STATE)
})

/** Two builds of the same source: an executable, and a bundle on Node. */
const INSTALL: Readonly<Record<string, (to: string) => void>> = {
  compiled: (to) => symlinkSync(built(`${dist}/bin/ptp-routed`), to),
  'a bundle on Node': (to) => {
    writeFileSync(to, `#!${process.execPath}\n${readFileSync(built(`${dist}/bundle/ptp-routed.cjs`), 'utf8')}`)
    chmodSync(to, 0o755)
  },
}

const list = () =>
  parseNetworkList(
    JSON.stringify({
      cniVersion: '1.0.0',
      name: 'ptp-chain',
      plugins: [
        { type: 'loopback' },
        {
          type: 'ptp-routed',
          ipam: {
            type: 'host-local',
            dataDir: join(folder, 'leases'),
            ranges: [[{ subnet: '10.79.0.0/24' }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
        {
          type: 'tuning',
          sysctl: { 'net.ipv4.conf.eth0.log_martians': '1' },
          mtu: 1300,
          dataDir: join(folder, 'tuning'),
        },
      ],
    }),
  )

test.each(Object.keys(INSTALL))("%s works in a chain between Debian's plugins", async (how) => {
  INSTALL[how]?.(join(folder, 'bin/ptp-routed'))
  await using node = await tempNetns()
  await using pod = await tempNetns({ lo: false })
  const runtime = cni({
    path: [join(folder, 'bin'), DEBIAN],
    cacheDir: join(folder, 'cache'),
    exec: realExec({ start: (argv, options) => netns.start(node, argv, options) }),
    timeout: 30_000,
  })
  const attachment = { containerID: `chain-${process.pid}`, netns: pod.path, ifName: 'eth0' }
  const hostLink = hostLinkOf({ networkName: 'ptp-chain', ...attachment })

  const { result } = await runtime.add(list(), attachment)
  expect(result.interfaces?.map(({ name }) => name)).toEqual(['lo', hostLink, 'eth0'])
  expect(result.ips?.map((ip) => [ip.address, ip.interface])).toContainEqual(['10.79.0.2/32', 2])
  using inPod = await openRtnl(pod)
  expect(await inPod.getLink('eth0')).toMatchObject({ mtu: 1300, up: true })
  expect(await sysctl(pod).get('net.ipv4.conf.eth0.log_martians')).toBe('1')
  await runtime.check(list(), attachment)

  await inPod.deleteRoute({ cidr: '0.0.0.0/0' })
  await expect(runtime.check(list(), attachment)).rejects.toMatchObject({ code: 100 })
  await runtime.del(list(), attachment)
  using onNode = await openRtnl(node)
  expect([await onNode.getLink(hostLink), await inPod.getLink('eth0')]).toEqual([undefined, undefined])
  expect(existsSync(join(folder, 'leases/ptp-chain/10.79.0.2'))).toBe(false)
})

function built(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`)
  return path
}
