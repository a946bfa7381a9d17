import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  arrayMap,
  attachFilter,
  detachFilter,
  ebpf,
  findFilter,
  hashMap,
  ipv4,
  mac,
  queueMap,
  struct,
  supportsFilters,
  u32,
  u64,
} from '@cni/ebpf'
import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tempBpffs } from './bpffs.ts'
import { counting, returning } from './programs.ts'

const bpf = ebpf()
const license = 'Apache-2.0'
const packet = Buffer.from(`${'02'.repeat(12)}0800${'45'.padEnd(40, '0')}`, 'hex')
const pods = hashMap({ name: 'pods', key: ipv4, value: struct({ ifindex: u32, mac }), maxEntries: 3 })
const counts = arrayMap({ name: 'counts', value: u64, maxEntries: 2 })
const events = queueMap({ name: 'events', value: u32, maxEntries: 2 })

const failing = (code: string, ...parts: string[]) =>
  expect.objectContaining({
    name: 'EbpfError',
    code,
    message: expect.stringMatching(
      new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')),
    ),
  })

let files: ReturnType<typeof tempBpffs>
beforeEach(() => {
  files = tempBpffs()
})
afterEach(() => files[Symbol.dispose]())

describe('maps', () => {
  test('a hash has the entries that were set, until they are deleted; what is too much is refused', () => {
    using map = bpf.createMap(pods)
    const values = [1, 2, 3].map((ifindex) => ({ ifindex, mac: `02:00:00:00:00:0${ifindex}` }))
    for (const [at, value] of values.entries()) map.set(`10.0.0.${at}`, value)
    expect(map.get('10.0.0.1')).toEqual(values[1])
    expect(map.get('10.0.0.9')).toBeUndefined()
    expect(new Map(map.entries())).toEqual(new Map(values.map((value, at) => [`10.0.0.${at}`, value])))
    const one = { ifindex: 7, mac: '02:00:00:00:00:07' }
    expect(() => map.set('10.0.0.9', one)).toThrow(failing('FULL', '"10.0.0.9" of map pods', '3 entries'))
    expect(() => map.set('10.0.0.1', one, 'new')).toThrow(failing('EXISTS', '"10.0.0.1"'))
    expect(() => map.set('10.0.0.9', one, 'existing')).toThrow(failing('NOT_FOUND', '"10.0.0.9"'))
    expect([map.delete('10.0.0.1'), map.delete('10.0.0.1')]).toEqual([true, false])
    expect(map.get('10.0.0.1')).toBeUndefined()
    expect(() => map.set('10.0.0.1', { ...one, ifindex: -1 })).toThrow(failing('INVALID', 'value.ifindex', '-1'))
    expect(() => map.get('fd00::1')).toThrow(failing('INVALID', 'key: expected an IPv4 address, got "fd00::1"'))
  })

  test('an array has all its entries, zero at first', () => {
    using map = bpf.createMap(counts)
    map.set(1, 2n ** 64n - 1n)
    expect(map.values()).toEqual([0n, 2n ** 64n - 1n])
    expect(() => map.get(2)).toThrow(failing('INVALID', 'Read 2 of map counts', 'last index is 1'))
    expect(() => map.set(2, 1n)).toThrow(failing('INVALID', 'last index is 1'))
  })

  test('a queue gives what was pushed first', () => {
    using map = bpf.createMap(events)
    map.push(1)
    map.push(2)
    expect(() => map.push(3)).toThrow(failing('FULL', 'queue events'))
    expect([map.pop(), map.pop(), map.pop()]).toEqual([1, 2, undefined])
  })

  test('a closed one says so', () => {
    const map = bpf.createMap(counts)
    map.close()
    map.close()
    expect(() => map.get(0)).toThrow(failing('CLOSED', 'map counts is closed'))
  })
})

describe('programs', () => {
  test('count in a map, see mark and cb, and say what becomes of a packet', () => {
    using map = bpf.createMap(counts)
    using program = bpf.load({ name: 'count', instructions: counting(map.fd), license })
    expect(program).toMatchObject({ name: 'count', tag: expect.stringMatching(/^[0-9a-f]{16}$/) })
    const result = program.testRun({ packet, mark: 0xc001f00d, cb: [0x400, 0, 0, 0, 5], repeat: 3 })
    expect(result).toMatchObject({ returned: -1, action: 'unspec', mark: 0x400, cb: [0xc001f00d, 0, 0, 0, 5] })
    expect(program.testRun({ packet, mark: 1, cb: [2] })).toMatchObject({ mark: 2, cb: [1, 0, 0, 0, 0] })
    expect(Buffer.from(result.packet)).toEqual(packet)
    expect(map.get(0)).toBe(4n)
  })

  test.each([
    ['unspec', -1],
    ['ok', 0],
    ['shot', 2],
    ['redirect', 7],
  ] as const)('%s is a word for %i', (action, value) => {
    using program = bpf.load({ name: 'constant', instructions: returning(value), license })
    expect(program.testRun({ packet })).toMatchObject({ action, returned: value })
  })

  test('that the verifier refuses are told with its last words', () => {
    // r0 is never written
    const bad = { name: 'bad', instructions: Buffer.from('9500000000000000', 'hex'), license }
    expect(() => bpf.load(bad)).toThrow(failing('VERIFIER', 'Load program bad', 'R0 !read_ok'))
    // trace_printk
    const gpl = Buffer.concat([Buffer.from('8500000006000000', 'hex'), returning(0)])
    expect(() => bpf.load({ name: 'gpl', instructions: gpl, license })).toThrow(failing('VERIFIER', 'GPL'))
    const missing = Buffer.concat([Buffer.from('8500000010270000', 'hex'), returning(0)])
    expect(() => bpf.load({ name: 'new', instructions: missing, license })).toThrow(
      failing('NOT_SUPPORTED', 'Load program new: this kernel has no helper'),
    )
  })

  test.each([
    ['name', { name: 'app-info' }, 'app-info'],
    ['name', { name: 'x'.repeat(16) }, 'xxxx'],
    ['instructions', { instructions: new Uint8Array(7) }, '7 bytes'],
    ['license', { license: '' }, 'license'],
  ])('a bad %s is refused before the kernel is asked', (_, change, named) => {
    const source = { name: 'x', instructions: returning(0), license, ...change }
    expect(() => bpf.load(source)).toThrow(failing('INVALID', named))
  })
})

describe('pins', () => {
  test('maps and programs are found again by who knows the version, and refused by who expects another one', () => {
    const folder = join(files.path, 'agent')
    const made = bpf.pins(folder, { version: 1, create: true })
    using map = made.map(pods)
    map.set('10.0.0.1', { ifindex: 3, mac: '02:00:00:00:00:03' })
    using program = bpf.load({ name: 'count', instructions: returning(0), license })
    made.putProgram('count', program)
    using second = bpf.load({ name: 'count', instructions: returning(2), license })
    made.putProgram('count', second)
    expect(made.list()).toEqual(['count', 'pods'])

    const found = bpf.pins(folder, { version: 1 })
    using same = found.map(pods)
    expect(same.get('10.0.0.1')).toEqual({ ifindex: 3, mac: '02:00:00:00:00:03' })
    using pinned = found.program('count')
    expect(pinned).toMatchObject({ name: 'count', id: second.id, tag: second.tag })
    expect(() => found.program('other')).toThrow(failing('NOT_FOUND', `${folder}/other`))
    expect(() => found.map(counts)).toThrow(failing('NOT_FOUND', 'counts'))
    expect(() => bpf.pins(folder, { version: 2 })).toThrow(failing('MISMATCH', folder, 'version 1, expected 2'))
    const wider = hashMap({ name: 'pods', key: ipv4, value: u64, maxEntries: 3 })
    expect(() => found.map(wider)).toThrow(failing('MISMATCH', 'pods', 'value size is 12, expected 8'))
    expect(() => bpf.openMap(pods, join(folder, 'count'))).toThrow(failing('MISMATCH'))
    made.remove()
    expect(() => bpf.pins(folder, { version: 1 })).toThrow(failing('NOT_FOUND', folder))
  })

  test('outside of a bpf file system, and below a second one, they are explained', () => {
    const plain = mkdtempSync(join(tmpdir(), 'cni-no-bpffs-'))
    try {
      expect(bpf.isOnBpffs(join(plain, 'a/b'))).toBe(false)
      expect(() => bpf.pins(join(plain, 'a'), { version: 1, create: true })).toThrow(
        failing('NO_BPFFS', plain, 'mount'),
      )
      expect(() => bpf.openProgram(join(plain, 'a'))).toThrow(failing('NO_BPFFS', plain))
    } finally {
      rmSync(plain, { recursive: true })
    }
    expect(bpf.isOnBpffs(join(files.path, 'a/b'))).toBe(true)
    expect(bpf.mountBpffs(files.path)).toEqual({ mounted: false })
    const folder = join(files.path, 'agent')
    bpf.pins(folder, { version: 1, create: true })
    loadSys().mount('bpf', files.path, 'bpf', 0, null)
    try {
      const why = ['several bpf file systems are mounted on', files.path]
      expect(() => bpf.pins(folder, { version: 1 })).toThrow(failing('NOT_FOUND', folder, ...why))
      expect(() => bpf.openProgram(join(folder, 'count'))).toThrow(failing('NOT_FOUND', 'count', ...why))
    } finally {
      loadSys().umount2(files.path, 0)
    }
    bpf.pins(folder, { version: 1 })
  })

  test('a name with a dot, which the kernel would refuse as a privilege, is named', () => {
    mkdirSync(join(files.path, 'x'))
    using map = bpf.createMap(counts)
    expect(() => map.pin(join(files.path, 'x/counts.v1'))).toThrow(failing('INVALID', 'counts.v1', 'dot'))
    map.pin(join(files.path, 'x/counts-1'))
    expect(() => map.pin(join(files.path, 'x/counts-1'))).toThrow(failing('EXISTS', 'counts-1'))
  })
})

describe('filters', () => {
  let pod: Netns & AsyncDisposable
  let rtnl: Rtnl
  beforeEach(async () => {
    pod = await tempNetns()
    rtnl = await openRtnl(pod)
    await rtnl.addLink({ name: 'v-0', kind: 'veth', up: true, peer: { name: 'v-1', up: true } })
  })
  afterEach(async () => {
    rtnl.close()
    await pod[Symbol.asyncDispose]()
  })
  const tc = async (...words: string[]): Promise<string> => (await netns.exec(pod, ['tc', ...words])).stdout

  test('a pinned program is put on a link, is left as it is the second time, sees packets, and goes', async () => {
    using map = bpf.createMap(counts)
    {
      using loaded = bpf.load({ name: 'count', instructions: counting(map.fd), license })
      loaded.pin(join(files.path, 'count'))
    }
    using program = bpf.openProgram(join(files.path, 'count'))
    const wanted = { link: 'v-0', direction: 'egress', program } as const
    const filter = {
      direction: 'egress',
      priority: 1,
      handle: 1,
      name: 'count',
      linkIndex: (await rtnl.getLink('v-0'))?.index,
    }
    expect(await attachFilter(rtnl, wanted)).toEqual({ attached: true, filter })
    expect(await attachFilter(rtnl, wanted)).toEqual({ attached: false, filter })
    expect(await tc('filter', 'show', 'dev', 'v-0', 'egress')).toMatch(/pref 1 bpf .*handle 0x1 count direct-action/)
    await rtnl.addAddress('v-0', '10.9.0.1/24')
    await rtnl.addNeighbour({ link: 'v-0', address: '10.9.0.2', mac: '02:00:00:00:00:02' })
    const before = map.get(0)
    await netns.exec(pod, ['bash', '-c', 'echo x > /dev/udp/10.9.0.2/9'])
    expect(map.get(0)).toBeGreaterThan(before)
    expect(await findFilter(rtnl, { link: 'v-0', direction: 'egress', name: 'count' })).toMatchObject({
      program: { id: program.id, tag: program.tag },
    })
    expect(await detachFilter(rtnl, { link: 'v-0', name: 'count' })).toEqual({ detached: 1 })
    expect(await detachFilter(rtnl, { link: 'v-0', name: 'count' })).toEqual({ detached: 0 })
    const nowhere = { link: 9999, direction: 'egress', name: 'count' } as const
    expect([await findFilter(rtnl, nowhere), await detachFilter(rtnl, nowhere)]).toEqual([undefined, { detached: 0 }])
    expect(await tc('qdisc', 'show', 'dev', 'v-0')).not.toContain('clsact')
  })

  test('one of the same name is replaced, and filters of others stay with their qdisc', async () => {
    using first = bpf.load({ name: 'mine', instructions: returning(-1), license })
    using second = bpf.load({ name: 'mine', instructions: returning(0), license })
    using other = bpf.load({ name: 'theirs', instructions: returning(-1), license })
    await rtnl.addQdisc({ kind: 'clsact', link: 'v-0' })
    await rtnl.addFilter({ link: 'v-0', direction: 'ingress', program: other.fd, name: 'theirs' })
    await tc('filter', 'add', 'dev', 'v-0', 'ingress', 'prio', '7', 'protocol', 'ip', 'u32', 'match', 'u32', '0', '0')
    const foreign = await rtnl.getFilters({ link: 'v-0' })
    const wanted = { link: 'v-0', direction: 'ingress' } as const
    expect(await attachFilter(rtnl, { ...wanted, program: first })).toMatchObject({
      attached: true,
      filter: { handle: 2 },
    })
    expect(await attachFilter(rtnl, { ...wanted, program: second })).toMatchObject({
      ...{ attached: true, replaced: first.id, filter: { handle: 2 } },
    })
    expect((await rtnl.getFilters({ link: 'v-0' })).map(({ kind, name }) => name ?? kind)).toContain('u32')
    await expect(attachFilter(rtnl, { ...wanted, program: first, priority: 7 })).rejects.toThrow(
      failing('EXISTS', 'kind u32 for protocol 2048 have priority 7'),
    )
    expect(await detachFilter(rtnl, { ...wanted, name: 'mine' })).toEqual({ detached: 1 })
    expect(await rtnl.getFilters({ link: 'v-0' })).toEqual(foreign)
  })

  test('a link that is not there, or goes, is named, and there is nothing to detach from it', async () => {
    using program = bpf.load({ name: 'x', instructions: returning(-1), license })
    const wanted = { link: 'v-9', direction: 'ingress', program } as const
    await expect(attachFilter(rtnl, wanted)).rejects.toThrow(failing('NO_LINK', 'Attach x to "v-9" (ingress)'))
    const getFilters = async () => {
      await rtnl.deleteLink('v-0')
      return []
    }
    const going = { ...rtnl, getFilters }
    await expect(attachFilter(going, { ...wanted, link: 'v-0' })).rejects.toThrow(
      failing('NO_LINK', '"v-0"', 'has gone'),
    )
    expect(await detachFilter(rtnl, { link: 'v-0', name: 'x' })).toEqual({ detached: 0 })
  })

  test('whether the kernel has them is found out where nobody sees it', async () => {
    expect(await supportsFilters()).toBe(true)
    expect(bpf.features()).toEqual({ skcLookup: true, skAssign: true })
  })

  test('a failing call leaves the qdisc that it added where others have put a filter into it', async () => {
    using program = bpf.load({ name: 'x', instructions: returning(-1), license })
    const steps: Array<() => unknown> = []
    using undoing = await openRtnl({ netns: pod, undo: (step) => void steps.unshift(step) })
    await attachFilter(undoing, { link: 'v-0', direction: 'ingress', program })
    await rtnl.addFilter({ link: 'v-0', direction: 'egress', program: program.fd, name: 'theirs' })
    for (const step of steps) await step()
    expect((await rtnl.getFilters({ link: 'v-0' })).map(({ name }) => name)).toEqual(['theirs'])
  })

  test('a failing call takes its filter and its qdisc off again', async () => {
    using program = bpf.load({ name: 'x', instructions: returning(-1), license })
    const steps: Array<() => unknown> = []
    {
      using undoing = await openRtnl({ netns: pod, undo: (step) => void steps.unshift(step) })
      await attachFilter(undoing, { link: 'v-0', direction: 'ingress', program })
    }
    expect(await rtnl.getFilters({ link: 'v-0' })).toHaveLength(1)
    for (const step of steps) await step()
    expect(await rtnl.getFilters({ link: 'v-0' })).toEqual([])
    expect((await rtnl.getQdiscs({ link: 'v-0' })).map(({ kind }) => kind)).not.toContain('clsact')
  })
})
