import { type LinkRef, NetnsError, type RtnlPort } from '@cni/netns'
import { fakeRtnl } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { attachFilter, detachFilter, findFilter } from '../attach.ts'
import { int, ipv4 } from '../codec.ts'
import { ebpfFrom } from '../ebpf.ts'
import { arrayMap, hashMap, queueMap } from '../maps.ts'
import { fakeEbpf } from './fake-ebpf.ts'
import { fakeKernel } from './fake-kernel.ts'

const license = 'Apache-2.0'
const instructions = new Uint8Array(16)
const pods = hashMap({ name: 'pods', key: ipv4, value: int('u32'), maxEntries: 2 })
const failing = (code: string, ...parts: string[]) =>
  expect.objectContaining({ name: 'EbpfError', code, message: expect.stringMatching(parts.join('[^]*')) })

test('maps return and throw like real ones', () => {
  const bpf = fakeEbpf()
  using hash = bpf.createMap(pods)
  hash.set('10.0.0.1', 1)
  hash.set('10.0.0.2', 2, 'new')
  expect(() => hash.set('10.0.0.3', 3)).toThrow(failing('FULL', 'pods'))
  expect(() => hash.set('10.0.0.2', 3, 'new')).toThrow(failing('EXISTS', '10.0.0.2'))
  expect(() => hash.set('10.0.0.3', 3, 'existing')).toThrow(failing('NOT_FOUND', '10.0.0.3'))
  expect([hash.delete('10.0.0.1'), hash.delete('10.0.0.1'), hash.get('10.0.0.2')]).toEqual([true, false, 2])
  expect(hash.entries()).toEqual([['10.0.0.2', 2]])
  using array = bpf.createMap(arrayMap({ name: 'counts', value: int('u64'), maxEntries: 2 }))
  array.set(1, 7n)
  expect(array.values()).toEqual([0n, 7n])
  expect(() => array.set(2, 7n)).toThrow(failing('INVALID', 'last index is 1'))
  using queue = bpf.createMap(queueMap({ name: 'events', value: int('u32'), maxEntries: 1 }))
  queue.push(5)
  expect(() => queue.push(6)).toThrow(failing('FULL', 'events'))
  expect([queue.pop(), queue.pop()]).toEqual([5, undefined])
})

test('pins are found with their version, and removed with their folder', () => {
  const bpf = fakeEbpf()
  const folder = '/sys/fs/bpf/agent'
  expect(() => bpf.pins(folder, { version: 1 })).toThrow(failing('NOT_FOUND', folder))
  const pins = bpf.pins(folder, { version: 1, create: true })
  pins.map(pods).set('10.0.0.1', 1)
  using program = bpf.load({ name: 'count', instructions, license })
  pins.putProgram('count', program)
  pins.putProgram('count', program)
  expect(pins.list()).toEqual(['count', 'pods'])
  expect(bpf.pins(folder, { version: 1 }).map(pods).get('10.0.0.1')).toBe(1)
  expect(bpf.pins(folder, { version: 1 }).program('count')).toMatchObject({ id: program.id, tag: program.tag })
  expect(() => bpf.pins(folder, { version: 2 })).toThrow(failing('MISMATCH', 'version 1, expected 2'))
  const other = hashMap({ name: 'pods', key: ipv4, value: int('u64'), maxEntries: 2 })
  expect(() => pins.map(other)).toThrow(failing('MISMATCH', 'value size is 4, expected 8'))
  expect(() => pins.pathOf('version')).toThrow(failing('INVALID', '"version"'))
  expect([pins.unpin('count'), pins.unpin('count')]).toEqual([true, false])
  bpf.removePins(folder)
  bpf.removePins(folder)
  expect(() => bpf.pins(folder, { version: 2 })).toThrow(failing('NOT_FOUND', folder))
})

test('a folder with pins and without a version is refused', () => {
  const bpf = fakeEbpf()
  bpf.pins('/sys/fs/bpf/a', { version: 1, create: true })
  expect(() => bpf.pins('/sys/fs/bpf', { version: 1, create: true })).toThrow(
    failing('MISMATCH', 'no version, expected 1'),
  )
})

test('errors name what the machine lacks', () => {
  const without = fakeEbpf({ bpffs: false })
  expect(() => without.pins('/sys/fs/bpf/a', { version: 1, create: true })).toThrow(failing('NO_BPFFS', 'mount -t bpf'))
  expect([without.isOnBpffs('/sys/fs/bpf/a'), without.mountBpffs(), without.mountBpffs()]).toEqual([
    ...[false, { mounted: true }, { mounted: false }],
  ])
  expect(without.isOnBpffs('/sys/fs/bpf/a')).toBe(true)

  const nobody = fakeEbpf({ privileged: false, bpffs: false })
  expect(() => nobody.createMap(pods)).toThrow(failing('EPERM', 'Make map pods', 'lacks CAP_BPF, or CAP_SYS_ADMIN'))
  expect(() => nobody.load({ name: 'x', instructions, license })).toThrow(
    failing('EPERM', 'Load program x', 'lacks CAP_BPF and CAP_NET_ADMIN, or CAP_SYS_ADMIN'),
  )
  expect(() => nobody.mountBpffs()).toThrow(failing('EPERM', 'lacks CAP_SYS_ADMIN'))

  const old = fakeEbpf({
    verifier: (_, code) => (code.includes(124) ? 'processed 3 insns\nunknown func bpf_sk_assign#124\n' : undefined),
  })
  expect(old.features()).toEqual({ skcLookup: true, skAssign: false })
})

test('the error of the verifier has the last 20 lines, its log all lines', () => {
  const log = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n')
  const bpf = fakeEbpf({ verifier: () => log })
  const load = () => bpf.load({ name: 'x', instructions, license })
  expect(load).toThrow(failing('VERIFIER', 'Load program x: EACCES', 'line 30\n', 'line 49$'))
  expect(load).not.toThrow('line 29')
  expect(load).toThrow(expect.objectContaining({ log }))
})

test('programs are attached to links of a fake rtnetlink as to real ones', async () => {
  const rtnl = fakeRtnl()
  const bpf = fakeEbpf()
  const wanted = { link: 'lo', direction: 'egress' } as const
  using first = bpf.load({ name: 'mine', instructions, license })
  using second = bpf.load({ name: 'mine', instructions, license })
  expect(await attachFilter(rtnl, { ...wanted, program: first })).toMatchObject({ attached: true })
  expect(await attachFilter(rtnl, { ...wanted, program: first })).toMatchObject({ attached: false })
  expect(await attachFilter(rtnl, { ...wanted, program: second })).toMatchObject({ replaced: first.id })
  expect(await findFilter(rtnl, { ...wanted, name: 'mine' })).toMatchObject({ program: { id: second.id } })
  expect(await detachFilter(rtnl, { ...wanted, direction: 'ingress', name: 'mine' })).toEqual({ detached: 0 })
  expect(await detachFilter(rtnl, { ...wanted, name: 'mine' })).toEqual({ detached: 1 })
  expect(await rtnl.getQdiscs()).toEqual([])
})

test('a filter of a link index is found with one request', async () => {
  const rtnl = fakeRtnl()
  const asked: unknown[] = []
  const counting = {
    ...rtnl,
    getLink: async (link: LinkRef) => {
      asked.push(link)
      return await rtnl.getLink(link)
    },
    getFilters: async (filter: NonNullable<Parameters<RtnlPort['getFilters']>[0]> = {}) => {
      asked.push(filter)
      return await rtnl.getFilters(filter)
    },
  }
  using program = fakeEbpf().load({ name: 'mine', instructions, license })
  const wanted = { link: 1, direction: 'egress', name: 'mine' } as const
  await attachFilter(rtnl, { ...wanted, program })
  expect(await findFilter(counting, wanted)).toMatchObject({ program: { id: program.id }, direction: 'egress' })
  expect(asked).toEqual([{ link: 1, direction: 'egress' }])
  const nowhere = { ...wanted, link: 99 }
  expect([await findFilter(rtnl, nowhere), await detachFilter(rtnl, nowhere)]).toEqual([undefined, { detached: 0 }])
})

test('making pins does not read the mounts', () => {
  const kernel = fakeKernel({})
  let asked = 0
  const bpf = ebpfFrom({
    ...kernel,
    mounts() {
      asked++
      return kernel.mounts()
    },
  })
  const pins = bpf.pins('/sys/fs/bpf/agent', { version: 1, create: true })
  const before = asked
  pins.map(pods).close()
  expect(asked).toBe(before)
  expect(pins.list()).toEqual(['pods'])
  expect(() => bpf.pins('/sys/fs/bpf/agent', { version: 1 }).map({ ...pods, name: 'others' })).toThrow(
    failing('NOT_FOUND', 'others'),
  )
})

test.each([
  ['ENOENT', 'addQdisc', 'NOT_SUPPORTED', 'clsact'],
  ['ENOENT', 'addFilter', 'NOT_SUPPORTED', 'CONFIG_NET_CLS_BPF'],
  ['ENODEV', 'addFilter', 'NO_LINK', 'has disappeared'],
  ['EPERM', 'addQdisc', 'EPERM', 'CAP_NET_ADMIN|process has the capabilities'],
] as const)('%s of %s throws %s, and leaves no trace', async (errno, call, code, text) => {
  const rtnl = fakeRtnl()
  const refusing = async () => {
    throw new NetnsError(errno, errno)
  }
  using program = fakeEbpf().load({ name: 'mine', instructions, license })
  const wanted = { link: 'lo', direction: 'egress', program } as const
  await expect(attachFilter({ ...rtnl, [call]: refusing }, wanted)).rejects.toThrow(failing(code, 'mine to "lo"', text))
  expect(await rtnl.getQdiscs()).toEqual([])
})
