import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NODE } from '../../../test/node.ts'
import { ipset } from '../src/ipset.ts'
import type { Entry, SetSpec } from '../src/spec-types.ts'
import { anyContent } from './arbitrary-sets.ts'

const modes = ['always', 'never'] as const

/** Sorted output of `ipset save`, without values that differ each time: the hash seed, and single seconds. */
const saved = async (pod: Netns) => {
  const { stdout } = await netns.exec(pod, ['ipset', 'save'])
  return stdout
    .replace(/ bucketsize \d+ initval 0x[0-9a-f]+/g, '')
    .replace(/(?<= timeout )[1-9]\d*/g, (seconds) => String(Math.ceil(Number(seconds) / 100)))
    .split('\n')
    .sort()
}

test('ipset prints the same set, whether programs or netlink wrote it', { timeout: 300_000 }, async () => {
  await using programs = await tempNetns()
  await using netlink = await tempNetns()
  const compare = async (name: string, spec: SetSpec, entries: Entry[]) => {
    await ipset(programs, { programs: 'always' }).set(name, spec).replace(entries)
    await ipset(netlink, { programs: 'never' }).set(name, spec).replace(entries)
    expect(await saved(netlink)).toEqual(await saved(programs))
  }
  await fc.assert(
    fc.asyncProperty(anyContent, async ({ spec, entries }) => {
      await compare('any', spec, entries)
      for (const pod of [programs, netlink]) await ipset(pod).set('any', spec).destroy()
    }),
    { numRuns: Number(process.env.CNI_SET_CASES ?? 25) },
  )
  await compare('pods', { type: 'hash:ip', family: 'ipv4' }, ['10.0.0.1'])
  const list = { type: 'list:set', comment: true, counters: true, timeoutSeconds: 600, size: 4 } as const
  await compare('all', list, [{ entry: 'pods', comment: 'x', timeoutSeconds: 0 }])
})

describe('a set of another program', () => {
  // Sets are skipped if the kernel lacks the type or an option. No set has `forceadd`, because ipset 7.17 does not
  // print it.
  const foreign: readonly (readonly [type: string, options: string, ...entries: string[]])[] = [
    ['hash:ip', 'netmask 24 skbinfo', '10.0.0.0 skbmark 0x11/0xff skbprio 1:10 skbqueue 3'],
    ['hash:ip', 'family inet6 counters comment', 'fd00::1 packets 7 bytes 5000000000 comment é'],
    ['hash:ip', 'bitmask 255.0.255.0 maxelem 7', '10.0.3.0'],
    ['hash:ip,mark', 'markmask 0xff', '10.0.0.1,99'],
    ['hash:ip,mac', '', '10.0.0.1,02:00:00:00:00:AB'],
    ['hash:mac', '', '02:00:00:00:00:AB'],
    ['hash:ip,port', 'timeout 0', '10.0.0.1,udplite:80', '10.0.0.1,sctp:80 timeout 900'],
    ['hash:ip,port,ip', '', '10.0.0.1,tcp:80,10.0.0.2'],
    ['hash:ip,port,net', 'family inet6', 'fd00::1,tcp:80,fd01::/64', 'fd00::1,tcp:80,fd01::/63 nomatch'],
    ['hash:net', '', '10.0.0.0/8', '10.1.0.0/16 nomatch', '10.0.0.1'],
    ['hash:net,net', '', '10.0.0.0/8,11.0.0.0/16 nomatch', '10.0.0.1,11.0.0.0/9'],
    ['hash:net,port,net', '', '10.0.0.0/8,udp:7,11.0.0.1'],
    ['hash:net,iface', '', '10.0.0.0/8,eth0', '0.0.0.0/0,physdev:eth0 nomatch', '10.1.0.0/16,eth wildcard'],
    ['bitmap:ip', 'range 10.0.0.0/16 netmask 24 skbinfo', '10.0.3.0'],
    ['bitmap:ip', 'range 10.0.0.1-10.0.0.9'],
    ['bitmap:ip,mac', 'range 10.0.0.0/16', '10.0.0.1,02:00:00:00:00:AB', '10.0.0.2'],
    ['bitmap:port', 'range 10-20 counters', '11 packets 1 bytes 2'],
    ['list:set', 'size 8 comment', 'set0 comment x', 'set1'],
  ]

  test('of any type is listed as ipset lists it', async () => {
    await using pod = await tempNetns()
    const made: string[] = []
    for (const [index, [type, options, ...entries]] of foreign.entries()) {
      const name = `set${index}`
      const lines = [`create ${name} ${type} ${options}`, ...entries.map((each) => `add ${name} ${each}`)]
      const done = netns.exec(pod, ['ipset', 'restore'], { input: `${lines.join('\n')}\n` })
      await done.then(
        () => made.push(name),
        (error: unknown) => expect(String(error)).toMatch(/type not supported|Your kernel is behind/),
      )
    }
    expect(made.length).toBeGreaterThan(9)
    const [programs, netlink] = modes.map((each) => ipset(pod, { programs: each }))
    expect(await netlink?.list()).toEqual(await programs?.list())
    for (const name of made) {
      const [one, other] = await Promise.all(
        [programs, netlink].map((each) => each?.set(name, { type: 'hash:ip', family: 'ipv4' }).list()),
      )
      expect(other, name).toEqual(one)
    }
  })

  test('loses unwanted entries, also those that this package does not write', async () => {
    await using pod = await tempNetns()
    const input = [
      'create web hash:ip,port',
      'add web 10.0.0.1,1:8/3',
      'add web 10.0.0.1,47:0',
      'add web 10.0.0.1,6:80',
    ]
    await netns.exec(pod, ['ipset', 'restore'], { input: `${input.join('\n')}\n` })
    const web = ipset(pod, { programs: 'never' }).set('web', { type: 'hash:ip,port', family: 'ipv4' })
    const { diff } = await web.replace('10.0.0.1,tcp:80', { by: 'change' })
    expect(diff?.unexpected.map(({ entry }) => entry).sort()).toEqual(['10.0.0.1,1:8/3', '10.0.0.1,47:0'])
    expect(await web.list()).toEqual([{ entry: '10.0.0.1,tcp:80' }])
  })
})

describe('many entries', () => {
  const spec = { type: 'hash:ip', family: 'ipv6', comment: true, maxelem: 65_000 } as const
  const entries = Array.from({ length: 65_000 }, (_, i) => ({
    entry: `fd00::${i.toString(16)}:1`,
    comment: `pod ${i}`,
  }))

  test('are written and read in several messages, and other tasks run between them', { timeout: 300_000 }, async () => {
    await using pod = await tempNetns()
    const set = ipset(pod, { programs: 'never' }).set('pods', spec)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    expect((await set.replace(entries)).plan).toBe('swap')
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
    for (const programs of modes) {
      const read = ipset(pod, { programs }).set('pods', spec)
      expect(await read.diff(entries)).toEqual({ missing: [], unexpected: [], changed: [] })
    }
    expect((await ipset(pod, { programs: 'never' }).list())[0]).toMatchObject({ name: 'pods', entryCount: 65_000 })
  })

  test('before a refused entry stay, and the error names the refused one', async () => {
    await using pod = await tempNetns()
    const set = ipset(pod, { programs: 'never' }).set('pods', { ...spec, maxelem: 700 })
    await set.create()
    await expect(set.add(entries)).rejects.toMatchObject({
      code: 'FULL',
      message: 'Add fd00::2bc:1 to set pods: error 4352, the set is full; raise maxelem',
    })
    expect(await set.list()).toHaveLength(700)
  })
})

describe('a refusal of the kernel', () => {
  test.for<[string, string, (sets: ReturnType<typeof ipset>) => Promise<unknown>]>([
    [
      'IN_USE',
      'Destroy set pods: error 4100, it is in use; remove the rules',
      (sets) => sets.set('pods', pods).destroy(),
    ],
    ['IN_USE', 'Rename set pods to other: error 4108, it is in use', (sets) => sets.rename('pods', 'other')],
    ['EXISTS', 'Rename set nets to pods: error 4101, a set with the new name', (sets) => sets.rename('nets', 'pods')],
    ['INVALID', 'Swap sets pods and nets: error 4102, sets of two types', (sets) => sets.swap('pods', 'nets')],
    ['NOT_FOUND', 'Swap sets pods and none: error 4101, the second set', (sets) => sets.swap('pods', 'none')],
    ['NOT_FOUND', 'Flush set none: ENOENT, the set does not exist', (sets) => sets.set('none', pods).flush()],
    ['INVALID', 'Add all to set all: error 4353, a list of sets', (sets) => sets.set('all', lists).add('all')],
    ['NOT_FOUND', 'Add none to set all: error 4352, there is no set', (sets) => sets.set('all', lists).add('none')],
    [
      'EXISTS',
      'Add 10.0.0.2 to set pods: error 4103, it is in the set already',
      (sets) => sets.set('pods', pods).add(['10.0.0.1', '10.0.0.2'], { exist: false }),
    ],
    [
      'NOT_FOUND',
      'Delete 10.0.0.9 from set pods: error 4103, it is not in the set',
      (sets) => sets.set('pods', pods).delete(['10.0.0.9'], { exist: false }),
    ],
    [
      'INVALID',
      'Add 10.0.0.1 to set pods: error 4112, the set was made without comments',
      (sets) => sets.set('pods', { ...pods, comment: true }).add({ entry: '10.0.0.1', comment: 'x' }),
    ],
    [
      'INVALID',
      'Add 10.0.0.1 to set pods: error 4107, the set was made without time-outs',
      (sets) => sets.set('pods', { ...pods, timeoutSeconds: 9 }).add({ entry: '10.0.0.1', timeoutSeconds: 9 }),
    ],
    [
      'INVALID',
      'Add fd00::1 to set pods: error 4097, it does not fit the family of the set',
      (sets) => sets.set('pods', { type: 'hash:ip', family: 'ipv6' }).add('fd00::1'),
    ],
    [
      'INVALID',
      "Add 80 to set ports: error 4352, it is out of the set's range",
      (sets) => sets.set('ports', { type: 'bitmap:port' }).add('80'),
    ],
    [
      'INVALID',
      'set pods: "10.0.0.1,tcp:80" is not a valid entry, because the existing set has the type hash:ip',
      (sets) => sets.set('pods', { type: 'hash:ip,port', family: 'ipv4' }).add('10.0.0.1,tcp:80'),
    ],
    [
      'INVALID',
      'set ports: "99999" is not a valid entry, because the existing set has the type bitmap:port',
      (sets) => sets.set('ports', lists).add('99999'),
    ],
    [
      'EXISTS',
      'Create set pods: EEXIST, a set of that name exists; if its options differ, destroy it first',
      (sets) => sets.set('pods', { ...pods, maxelem: 7 }).create(),
    ],
  ])('has the code %s and the message %s', async ([code, words, refused]) => {
    await using pod = await tempNetns()
    const sets = ipset(pod, { programs: 'never' })
    await sets.set('pods', pods).replace('10.0.0.2')
    await sets.set('nets', { type: 'hash:net', family: 'ipv4' }).create()
    await sets.set('ports', { type: 'bitmap:port', range: [1, 9] }).create()
    await sets.set('all', lists).replace('pods')
    await expect(refused(sets)).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
    // The program gives the same code.
    await expect(refused(ipset(pod, { programs: 'always' }))).rejects.toMatchObject({ code })
  })

  test('names a missing CAP_NET_ADMIN', async () => {
    await using pod = await tempNetns()
    const code = `
      import { ipset } from '@cni/ipset'
      const set = ipset('host', { programs: 'never' }).set('pods', { type: 'hash:ip', family: 'ipv4' })
      for (const call of [set.create, set.list]) await call().catch(({ code, message }) => console.log(code, message))
    `
    const drop = ['setpriv', '--bounding-set=-net_admin', '--inh-caps=-net_admin'] as const
    const node = [...NODE, '--input-type=module', '--eval', code]
    const { stdout } = await netns.exec(pod, [...drop, ...node], { cwd: import.meta.dirname })
    expect(stdout.trimEnd().split('\n')).toEqual([
      'EXIT Create set pods: EPERM, CAP_NET_ADMIN in the namespace is needed',
      'EXIT Read set pods: EPERM, CAP_NET_ADMIN in the namespace is needed',
    ])
  })

  const pods = { type: 'hash:ip', family: 'ipv4' } as const
  const lists = { type: 'list:set' } as const
})

test('a set has the first sufficient revision, so that programs older than the kernel can list it', async () => {
  await using pod = await tempNetns()
  const sets = ipset(pod, { programs: 'never' })
  await sets.set('pods', { type: 'hash:ip', family: 'ipv4' }).create()
  await sets.set('nets', { type: 'hash:net', family: 'ipv6' }).create()
  const { stdout } = await netns.exec(pod, ['ipset', 'list', '-terse'])
  expect(stdout.match(/^Revision: .*$/gm)).toEqual(['Revision: 2', 'Revision: 4'])
})

test('without the program ipset sets work over netlink', async () => {
  await using pod = await tempNetns()
  const { PATH } = process.env
  process.env.PATH = '/nowhere'
  try {
    const set = ipset(pod).set('pods', { type: 'hash:ip', family: 'ipv4', comment: true })
    await set.replace({ entry: '10.0.0.1', comment: 'x' })
    await set.replace('10.0.0.2', { by: 'change' })
    expect([await set.test('10.0.0.2'), await set.deleteByComment('x'), await set.list()]).toEqual([
      true,
      [],
      [{ entry: '10.0.0.2' }],
    ])
    await set.destroy()
    await expect(ipset(pod, { programs: 'always' }).list()).rejects.toMatchObject({ code: 'NO_BINARY' })
  } finally {
    process.env.PATH = PATH
  }
})
