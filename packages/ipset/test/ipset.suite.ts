import { describe, expect, test } from 'vitest'
import type { Ipset } from '../src/ipset.ts'
import type { SetEntry } from '../src/spec-types.ts'

const pods = { type: 'hash:ip', family: 'ipv4', comment: true } as const
const nets = { type: 'hash:net', family: 'ipv4', maxelem: 3 } as const

/** Contract tests that the fake `Ipset` and the real one must both pass. `make` returns an `Ipset` without sets. */
export function ipsetSuite(make: () => Promise<Ipset & Partial<AsyncDisposable>>): void {
  const run = (title: string, body: (sets: Ipset) => Promise<void>) =>
    test(title, async () => {
      const sets = await make()
      try {
        await body(sets)
      } finally {
        await sets[Symbol.asyncDispose]?.()
      }
    })

  describe('a set', () => {
    run('can be created again, but not with other options', async (sets) => {
      const set = sets.set('pods', pods)
      await set.create()
      await set.create()
      await expect(set.create({ exist: false })).rejects.toMatchObject({ code: 'EXISTS' })
      await expect(sets.set('pods', { ...pods, maxelem: 7 }).create()).rejects.toMatchObject({ code: 'EXISTS' })
      expect(await sets.list()).toEqual([
        {
          ...{ name: 'pods', type: 'hash:ip', family: 'ipv4', maxelem: 65536, comment: true },
          ...{ other: [], references: 0, entryCount: 0 },
        },
      ])
    })

    run('can be destroyed again', async (sets) => {
      const set = sets.set('pods', pods)
      await set.create()
      await set.destroy()
      await set.destroy()
      await expect(set.destroy({ exist: false })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await sets.list()).toEqual([])
    })

    run('that does not exist throws NOT_FOUND on reads and writes', async (sets) => {
      const set = sets.set('pods', pods)
      const calls = [() => set.list(), () => set.diff([]), () => set.flush(), () => set.add('10.0.0.1')]
      for (const call of [...calls, () => set.delete('10.0.0.1')]) {
        await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' })
      }
      await expect(set.test('10.0.0.1')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    run('that another set refers to is in use', async (sets) => {
      await sets.set('pods', pods).create()
      const all = sets.set('all', { type: 'list:set' })
      await all.replace('pods')
      await expect(sets.set('pods', pods).destroy()).rejects.toMatchObject({ code: 'IN_USE' })
      await expect(sets.rename('pods', 'others')).rejects.toMatchObject({ code: 'IN_USE' })
      expect((await sets.list()).find(({ name }) => name === 'pods')?.references).toBe(1)
      expect(await all.list()).toEqual([{ entry: 'pods' }])
      await expect(all.add('absent')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    run('can be renamed to a free name', async (sets) => {
      const set = sets.set('pods', pods)
      await set.replace('10.0.0.1')
      await sets.rename(set, 'renamed')
      expect(await sets.set('renamed', pods).list()).toEqual([{ entry: '10.0.0.1' }])
      await set.create()
      await expect(sets.rename(set, 'renamed')).rejects.toMatchObject({ code: 'EXISTS' })
    })

    run('can be swapped with a set of its type', async (sets) => {
      const [one, other] = [sets.set('one', pods), sets.set('other', pods)]
      await one.replace('10.0.0.1')
      await expect(sets.swap(one, other)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await other.replace('10.0.0.2')
      await sets.swap(one, other)
      expect(await one.list()).toEqual([{ entry: '10.0.0.2' }])
      await sets.set('nets', nets).create()
      await expect(sets.swap('one', 'nets')).rejects.toMatchObject({ code: 'INVALID' })
    })
  })

  describe('entries', () => {
    run('are added, updated, found, tested and deleted', async (sets) => {
      const set = sets.set('pods', pods)
      await set.create()
      await set.add(['10.0.0.1', { entry: '10.0.0.2', comment: 'uid of a "pod'.replace('"', '\\') }])
      await set.add({ entry: '10.0.0.1', comment: 'now with one' })
      expect(sorted(await set.list())).toEqual([
        { entry: '10.0.0.1', comment: 'now with one' },
        { entry: '10.0.0.2', comment: 'uid of a \\pod' },
      ])
      expect(await set.get('10.0.0.1')).toEqual({ entry: '10.0.0.1', comment: 'now with one' })
      expect(await set.get('10.0.0.9')).toBeUndefined()
      expect(await set.test('10.0.0.1')).toBe(true)
      expect(await set.test('10.0.0.9')).toBe(false)
      await set.delete(['10.0.0.1', '10.0.0.9'])
      expect(await set.list()).toHaveLength(1)
      await expect(set.delete('10.0.0.9', { exist: false })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(set.add('10.0.0.2', { exist: false })).rejects.toMatchObject({ code: 'EXISTS' })
      await set.flush()
      expect(await set.list()).toEqual([])
    })

    run('are deleted by comment', async (sets) => {
      const set = sets.set('pods', pods)
      await set.replace([
        { entry: '10.0.0.1', comment: 'a' },
        { entry: '10.0.0.2', comment: 'ab' },
        { entry: '10.0.0.3', comment: 'a' },
        '10.0.0.4',
      ])
      expect(sorted(await set.deleteByComment('a')).map(({ entry }) => entry)).toEqual(['10.0.0.1', '10.0.0.3'])
      expect(await set.deleteByComment('a')).toEqual([])
      expect(sorted(await set.list()).map(({ entry }) => entry)).toEqual(['10.0.0.2', '10.0.0.4'])
    })

    run('that are networks match the addresses in them, except for nomatch', async (sets) => {
      const set = sets.set('nets', nets)
      await set.replace(['10.1.2.3/8', { entry: '10.1.0.0/16', nomatch: true }, '192.0.2.1/32'])
      expect(sorted(await set.list())).toEqual([
        { entry: '10.0.0.0/8' },
        { entry: '10.1.0.0/16', nomatch: true },
        { entry: '192.0.2.1' },
      ])
      const tested = await Promise.all(['10.2.0.1', '10.1.0.1', '192.0.2.1', '192.0.2.2'].map((ip) => set.test(ip)))
      expect(tested).toEqual([true, false, true, false])
      await set.add('10.1.0.0/16')
      expect(await set.test('10.1.0.1')).toBe(true)
    })

    run('with ports of both families are read as they were written', async (sets) => {
      const desired = ['fd00::5,tcp:80', 'fd00::5,udp:0', 'fd00::5,sctp:65535', 'fd00::5,udplite:7'] as const
      const set = sets.set('web', { type: 'hash:ip,port', family: 'ipv6', counters: true, timeoutSeconds: 0 })
      await set.replace(desired)
      expect(sorted(await set.list())).toEqual(
        sorted(desired.map((entry) => ({ entry, timeoutSeconds: 0, packets: 0, bytes: 0 }))),
      )
      expect((await set.replace([...desired])).plan).toBe('unchanged')
      const net = sets.set('net', { type: 'hash:net,port', family: 'ipv4' })
      await net.replace(['10.0.0.0/8,tcp:80', { entry: '10.1.0.0/16,tcp:80', nomatch: true }])
      expect(await net.test('10.2.0.1,tcp:80')).toBe(true)
      expect(await net.test('10.1.0.1,tcp:80')).toBe(false)
      expect(await net.test('10.2.0.1,udp:80')).toBe(false)
      const ports = sets.set('ports', { type: 'bitmap:port', range: [10, 20] })
      await ports.replace(['10', '20'])
      expect(await ports.list()).toEqual([{ entry: '10' }, { entry: '20' }])
    })

    run('have their own time-outs', async (sets) => {
      const set = sets.set('short', { type: 'hash:ip', family: 'ipv4', timeoutSeconds: 600 })
      await set.replace([
        '10.0.0.1',
        { entry: '10.0.0.2', timeoutSeconds: 0 },
        { entry: '10.0.0.3', timeoutSeconds: 2147483 },
      ])
      const [first, second, third] = sorted(await set.list()).map(({ timeoutSeconds }) => timeoutSeconds ?? -1)
      expect([first, second, third].map((each) => Math.ceil((each ?? -1) / 600))).toEqual([1, 0, 3580])
      expect((await set.replace([{ entry: '10.0.0.2', timeoutSeconds: 0 }, '10.0.0.1', '10.0.0.3'])).plan).toBe(
        'unchanged',
      )
    })
  })

  describe('replace', () => {
    run('creates the set, does nothing if it is equal, and swaps the content', async (sets) => {
      const set = sets.set('pods', pods)
      expect(await set.replace(['10.0.0.1', '10.0.0.2'])).toEqual({ plan: 'swap', diff: undefined })
      expect((await set.replace(['10.0.0.2', '10.0.0.1', '10.0.0.1'])).plan).toBe('unchanged')
      const { plan, diff } = await set.replace([{ entry: '10.0.0.2', comment: 'x' }, '10.0.0.3'])
      expect(plan).toBe('swap')
      expect(diff).toEqual({
        missing: [{ entry: '10.0.0.3' }],
        unexpected: [{ entry: '10.0.0.1' }],
        changed: [{ entry: '10.0.0.2', comment: 'x' }],
      })
      expect(sorted(await set.list())).toEqual([{ entry: '10.0.0.2', comment: 'x' }, { entry: '10.0.0.3' }])
      expect((await set.replace([], { compare: false })).plan).toBe('swap')
      expect(await set.list()).toEqual([])
      expect((await sets.list()).map(({ name }) => name)).toEqual(['pods'])
    })

    run('by change does not touch equal entries', async (sets) => {
      const set = sets.set('nets', { ...nets, timeoutSeconds: 600 })
      await set.replace([{ entry: '10.0.0.0/8', timeoutSeconds: 90_000 }, '11.0.0.0/8', '12.0.0.0/8'])
      const desired = ['10.0.0.0/8', { entry: '11.0.0.0/8', nomatch: true }, '13.0.0.0/8'] as const
      expect((await set.replace(desired, { by: 'change' })).plan).toBe('change')
      expect((await set.get('10.0.0.0/8'))?.timeoutSeconds).toBeGreaterThan(600)
      expect((await set.get('11.0.0.0/8'))?.nomatch).toBe(true)
      expect(await set.diff(desired)).toEqual({ missing: [], unexpected: [], changed: [] })
    })

    run('gives a set new options while other sets refer to it', async (sets) => {
      const set = sets.set('nets', nets)
      await set.replace('10.0.0.0/8')
      await sets.set('all', { type: 'list:set' }).replace('nets')
      const wider = sets.set('nets', { ...nets, maxelem: 9, comment: true })
      expect((await wider.replace({ entry: '10.0.0.0/8', comment: 'x' })).plan).toBe('swap')
      expect((await sets.list()).find(({ name }) => name === 'nets')).toMatchObject({ maxelem: 9, comment: true })
      expect((await wider.replace({ entry: '10.0.0.0/8', comment: 'x' })).plan).toBe('unchanged')
    })

    run('refuses a set of another type and too many entries, and changes nothing', async (sets) => {
      const set = sets.set('pods', pods)
      await set.replace('10.0.0.1')
      await expect(sets.set('pods', nets).replace([])).rejects.toMatchObject({ code: 'EXISTS' })
      await expect(sets.set('pods', nets).replace([], { compare: false })).rejects.toMatchObject({ code: 'EXISTS' })
      const small = sets.set('small', nets)
      const four = ['10.0.0.0/8', '11.0.0.0/8', '12.0.0.0/8', '13.0.0.0/8']
      await expect(small.replace(four)).rejects.toMatchObject({ code: 'FULL' })
      expect((await sets.list()).map(({ name }) => name)).toEqual(['pods'])
      await small.create()
      await expect(small.add(four)).rejects.toMatchObject({ code: 'FULL' })
      expect(await small.list()).toHaveLength(3)
    })

    run('leaves no trace if the kernel refuses an entry', async (sets) => {
      await sets.set('pods', pods).create()
      const all = sets.set('all', { type: 'list:set' })
      await expect(all.replace(['pods', 'absent'])).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect((await sets.list()).map(({ name }) => name)).toEqual(['pods'])
      await all.replace('pods')
      for (const by of ['swap', 'change'] as const) {
        await sets.set('more', pods).create()
        await expect(all.replace(['more', 'absent'], { by })).rejects.toMatchObject({ code: 'NOT_FOUND' })
        expect(await all.list()).toEqual([{ entry: 'pods' }])
        expect((await sets.list()).map(({ name }) => name).sort()).toEqual(['all', 'more', 'pods'])
      }
    })

    run('of one set by several callers ends with one of the contents', async (sets) => {
      const set = sets.set('pods', pods)
      const contents = [1, 2, 3, 4].map((side) => [1, 2, 3].map((host) => `10.0.${side}.${host}`))
      await Promise.all(contents.map((content) => set.replace(content)))
      const found = sorted(await set.list()).map(({ entry }) => entry)
      expect(contents).toContainEqual(found)
      expect((await sets.list()).map(({ name }) => name)).toEqual(['pods'])
    })
  })
}

const sorted = (entries: readonly SetEntry[]) => entries.toSorted((a, b) => (a.entry < b.entry ? -1 : 1))
