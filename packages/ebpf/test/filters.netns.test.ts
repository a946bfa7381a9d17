import { join } from 'node:path'
import { attachFilter, detachFilter, ebpf, findFilter, supportsFilters } from '@cni/ebpf'
import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tempBpffs } from './bpffs.ts'
import { failing } from './failing.ts'
import { counting, license, returning } from './programs.ts'
import { counts } from './specs.ts'

const bpf = ebpf()

let files: ReturnType<typeof tempBpffs>
beforeEach(() => {
  files = tempBpffs()
})
afterEach(() => files[Symbol.dispose]())

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

test('a pinned program is attached once, sees packets, and is detached', async () => {
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

test('a filter of the same name is replaced, filters of other programs stay with their qdisc', async () => {
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

test('attach to a missing or disappearing link throws NO_LINK, detach does nothing', async () => {
  using program = bpf.load({ name: 'x', instructions: returning(-1), license })
  const wanted = { link: 'v-9', direction: 'ingress', program } as const
  await expect(attachFilter(rtnl, wanted)).rejects.toThrow(failing('NO_LINK', 'Attach x to "v-9" (ingress)'))
  const getFilters = async () => {
    await rtnl.deleteLink('v-0')
    return []
  }
  const going = { ...rtnl, getFilters }
  await expect(attachFilter(going, { ...wanted, link: 'v-0' })).rejects.toThrow(
    failing('NO_LINK', '"v-0"', 'has disappeared'),
  )
  expect(await detachFilter(rtnl, { link: 'v-0', name: 'x' })).toEqual({ detached: 0 })
})

test('supportsFilters finds out in a temporary namespace', async () => {
  expect(await supportsFilters()).toBe(true)
  expect(bpf.features()).toEqual({ skcLookup: true, skAssign: true })
})

test('after a failed call the qdisc stays if another program has added a filter', async () => {
  using program = bpf.load({ name: 'x', instructions: returning(-1), license })
  const steps: Array<() => unknown> = []
  using undoing = await openRtnl({ netns: pod, undo: (step) => void steps.unshift(step) })
  await attachFilter(undoing, { link: 'v-0', direction: 'ingress', program })
  await rtnl.addFilter({ link: 'v-0', direction: 'egress', program: program.fd, name: 'theirs' })
  for (const step of steps) await step()
  expect((await rtnl.getFilters({ link: 'v-0' })).map(({ name }) => name)).toEqual(['theirs'])
})

test('a failed call removes its filter and its qdisc', async () => {
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
