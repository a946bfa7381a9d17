import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testPlugin } from '@cni/skel/testing'
import { expect, onTestFinished, test } from 'vitest'
import { plugin } from './plugin.ts'

const BOTH = [{ subnet: '10.88.0.0/29' }, { subnet: 'fd88::/64', first: 'fd88::100' }]

function node(ranges: unknown = BOTH) {
  const folder = mkdtempSync(join(tmpdir(), 'leases-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const routes = [{ dst: '0.0.0.0/0' }]
  const tester = testPlugin(plugin(folder), { conf: { name: 'pods', ipam: { type: '@NAME@', ranges, routes } } })
  const pods = join(folder, 'pods')
  return {
    tester,
    pods,
    addressesOf: async (containerID: string) =>
      (await tester.add({ containerID })).result?.ips?.map(({ address }) => address),
    files: () => (existsSync(pods) ? readdirSync(pods).filter((name) => name !== 'lock') : []),
  }
}

test('each attachment has one address of each range, and the routes of the network', async () => {
  const { tester, files } = node()
  const { result } = await tester.add()
  expect(result).toMatchObject({
    ips: [
      { address: '10.88.0.2/29', gateway: '10.88.0.1' },
      { address: 'fd88::100/64', gateway: 'fd88::1' },
    ],
    routes: [{ dst: '0.0.0.0/0' }],
  })
  expect(files()).toEqual(['10.88.0.2', 'fd88::100'])
})

test('a repeated ADD, or one after a crash, has the same addresses; DEL releases them, also twice', async () => {
  const { tester, addressesOf, pods, files } = node()
  const first = await addressesOf('web')
  expect(await addressesOf('web')).toEqual(first)
  // State after a process was killed between its two addresses.
  rmSync(join(pods, 'fd88::100'))
  expect(await addressesOf('web')).toEqual(first)
  expect(await addressesOf('db')).toEqual(['10.88.0.3/29', 'fd88::101/64'])
  for (let time = 1; time <= 2; time++) expect((await tester.del({ containerID: 'web' })).exitCode).toBe(0)
  expect(files()).toEqual(['10.88.0.3', 'fd88::101'])
})

test('DEL succeeds with an invalid configuration, and without any leases', async () => {
  const { tester, addressesOf, files } = node()
  expect((await tester.del()).exitCode).toBe(0)
  await addressesOf('web')
  expect((await tester.del({ containerID: 'web', conf: { name: 'pods', ipam: 5 } })).exitCode).toBe(0)
  expect(files()).toEqual([])
})

test('a full range fails ADD with code 11 and STATUS with code 50, and takes no address of the other range', async () => {
  const { tester, addressesOf, files } = node([{ subnet: 'fd88::/64' }, { subnet: '10.88.0.0/30' }])
  await addressesOf('web')
  const before = files()
  expect((await tester.add({ containerID: 'db' })).error).toMatchObject({
    code: 11,
    msg: 'no address of 10.88.0.0/30 is free from 10.88.0.1 to 10.88.0.2',
  })
  expect((await tester.status()).error?.code).toBe(50)
  expect(files()).toEqual(before)
  await tester.del({ containerID: 'web' })
  expect((await tester.status()).exitCode).toBe(0)
})

test('CHECK fails if a lease is missing', async () => {
  const { tester, addressesOf, pods } = node()
  await addressesOf('web')
  expect((await tester.check({ containerID: 'web' })).exitCode).toBe(0)
  rmSync(join(pods, '10.88.0.2'))
  expect((await tester.check({ containerID: 'web' })).error?.code).toBe(100)
})

test('GC releases addresses without a valid attachment', async () => {
  const { tester, addressesOf, files } = node()
  for (const containerID of ['web', 'db']) await addressesOf(containerID)
  await tester.gc({ validAttachments: [{ containerID: 'db', ifname: 'eth0' }] })
  expect(files()).toEqual(['10.88.0.3', 'fd88::101'])
})

test.each<[string, (file: string) => void]>([
  ['text', (file) => writeFileSync(file, 'hostile')],
  ['nothing', (file) => writeFileSync(file, '')],
  ['another object', (file) => writeFileSync(file, '{"containerID":["web"]}')],
  ['a link', (file) => symlinkSync('/etc/passwd', file)],
  ['a folder', (file) => mkdirSync(file)],
  ['a pipe', (file) => void execFileSync('mkfifo', [file])],
  [
    'a file that others may write',
    (file) => writeFileSync(file, '{"containerID":"web","ifName":"eth0"}', { mode: 0o666 }),
  ],
])('an address whose file is %s is not leased again, and DEL and GC do not release it', async (_, put) => {
  const { tester, addressesOf, pods, files } = node()
  const umask = process.umask(0)
  try {
    mkdirSync(pods, { mode: 0o700 })
    put(join(pods, '10.88.0.2'))
  } finally {
    process.umask(umask)
  }
  expect(await addressesOf('web')).toEqual(['10.88.0.3/29', 'fd88::100/64'])
  expect((await tester.del({ containerID: 'web' })).exitCode).toBe(0)
  const { exitCode, log } = await tester.gc({ validAttachments: [] })
  expect([exitCode, log[0]?.level]).toEqual([0, 'warn'])
  expect(files()).toEqual(['10.88.0.2'])
})

test.each([
  [{ subnet: '10.88.0.0' }, 'subnet: expected ADDRESS/LENGTH, got "10.88.0.0"'],
  [{ subnet: 'x/24' }, 'subnet: expected ADDRESS/LENGTH, got "x/24"'],
  [{ subnet: '10.88.0.0/24', first: '10.89.0.1' }, 'first: expected an address in 10.88.0.0/24, got "10.89.0.1"'],
  [{ subnet: 'fd88::/64', gateway: '10.88.0.1' }, 'gateway: expected an address in fd88::/64, got "10.88.0.1"'],
  [
    { subnet: 'fd88::/64', first: 'fd88::9', last: 'fd88::8' },
    'subnet: no address of fd88::/64 from fd88::9 to fd88::8',
  ],
  [{ subnet: '10.88.0.4/31' }, 'subnet: expected a network of 4 addresses or more, got "10.88.0.4/31"'],
])('%j is rejected, and the error names the member', async (range, problem) => {
  const { tester } = node([range])
  const { error } = await tester.add()
  expect(error).toMatchObject({ code: 7, msg: expect.stringContaining(`ipam.ranges[0].${problem}`) })
})
