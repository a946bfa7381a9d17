import { map, type NamedSet, nftRuleset, set } from '@cni/nftables/rules'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RulesetWorld } from './world.ts'

const ex = { family: 'inet', table: 'ex' } as const
const pods: NamedSet = { name: 'pods', key: 'ipv4_addr' }
const nets: NamedSet = { name: 'nets', key: 'ipv4_addr', interval: true }
const ports: NamedSet = { name: 'ports', key: 'inet_service', data: 'verdict' }

/** Contract tests of named sets: `nftables(where).set`. */
export function setsBehaviour(open: () => Promise<RulesetWorld>): void {
  let world: RulesetWorld

  describe('sets', () => {
    beforeEach(async () => {
      world = await open()
      await world.tables.apply(nftRuleset('inet', { ex: {} }, () => []))
    })
    afterEach(() => world[Symbol.asyncDispose]())

    test('create and destroy can be repeated', async () => {
      const handle = world.tables.set(ex, pods)
      await handle.create()
      await handle.create()
      await expect(world.tables.set(ex, { ...nets, name: 'pods' }).create()).rejects.toMatchObject({ code: 'EXISTS' })
      await handle.destroy()
      await handle.destroy()
      await expect(handle.list()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    test('elements are added, changed, deleted and listed', async () => {
      const handle = world.tables.set(ex, pods)
      await handle.create()
      await handle.add(['10.0.0.2', { key: '10.0.0.1', comment: 'one' }])
      await handle.add(['10.0.0.2'])
      await handle.add([{ key: '10.0.0.1', comment: 'uno' }])
      expect(await handle.list()).toEqual([{ key: '10.0.0.1', comment: 'uno' }, { key: '10.0.0.2' }])
      expect(await handle.get('10.0.0.1')).toEqual({ key: '10.0.0.1', comment: 'uno' })
      await handle.delete(['10.0.0.1', '10.9.9.9'])
      expect([await handle.has('10.0.0.1'), await handle.has('10.0.0.2')]).toEqual([false, true])
      await handle.flush()
      expect(await handle.list()).toEqual([])
    })

    test('replace writes the differences in one transaction', async () => {
      const { nft, tables } = world
      const handle = tables.set(ex, pods)
      await handle.create()
      const generation = nft.generation()
      await expect(handle.replace(['10.0.0.1', '10.0.0.2'])).resolves.toBe('replaced')
      await expect(handle.replace(['10.0.0.2', '10.0.0.1'])).resolves.toBe('unchanged')
      await expect(handle.replace(['10.0.0.2', '10.0.0.3'])).resolves.toBe('replaced')
      expect(nft.generation()).toBe(generation + 2)
      expect(await handle.diff(['10.0.0.2'])).toEqual({ missing: [], unexpected: [{ key: '10.0.0.3' }] })
    })

    test('networks and ranges work, also at the first and the last address', async () => {
      const handle = world.tables.set(ex, nets)
      await handle.create()
      const all = ['0.0.0.0/8', '10.0.0.0/8', '10.0.0.0-', '192.168.1.1', '255.255.255.0/24'].filter(
        (each) => !each.endsWith('-'),
      )
      await handle.add([...all, { from: '172.16.0.5', to: '172.16.0.9' }])
      const sorted = [
        '0.0.0.0/8',
        '10.0.0.0/8',
        { from: '172.16.0.5', to: '172.16.0.9' },
        '192.168.1.1',
        '255.255.255.0/24',
      ]
      expect(await handle.list()).toEqual(sorted.map((key) => ({ key })))
      expect(await handle.has('10.1.2.3')).toBe(true)
      expect(await handle.has('11.1.2.3')).toBe(false)
      await handle.delete(['10.0.0.0/8', '0.0.0.0/8'])
      await handle.replace(['255.255.255.0/24'])
      expect(await handle.list()).toEqual([{ key: '255.255.255.0/24' }])
    })

    test('a map holds its data', async () => {
      const handle = world.tables.set(ex, ports)
      await handle.create()
      await handle.add([{ key: 80, data: { verdict: 'accept' } }])
      await handle.add([{ key: 80, data: { verdict: 'drop' } }])
      expect(await handle.list()).toEqual([{ key: 80, data: { verdict: 'drop' } }])
      await handle.delete([80])
      expect(await handle.list()).toEqual([])
    })

    test('an invalid element is refused before anything is written', async () => {
      const handle = world.tables.set(ex, pods)
      await handle.create()
      for (const wrong of ['10.0.0.0/8', '::1', '10.0.0.256', '']) {
        await expect(handle.add(['10.0.0.1', wrong])).rejects.toMatchObject({ code: 'INVALID' })
      }
      expect(await handle.list()).toEqual([])
    })

    test('65 000 elements are written, listed and replaced', { timeout: 60_000 }, async () => {
      const handle = world.tables.set(ex, { ...pods, size: 65_536 })
      await handle.create()
      const all = Array.from({ length: 65_000 }, (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`)
      await handle.replace(all)
      await expect(handle.replace(all.slice(1))).resolves.toBe('replaced')
      expect((await handle.list()).length).toBe(64_999)
    })

    test('declared sets and elements are listed as declared', async () => {
      const { tables } = world
      const rules = nftRuleset(
        'inet',
        {
          ex: {
            a: set('ipv6_addr', { interval: true, elements: [{ key: 'fe80::/10' }, { key: '::1' }] }),
            b: map(['ipv4_addr', 'inet_service'], 'verdict', {
              elements: [{ key: ['10.0.0.1', 80], data: { verdict: 'accept' } }],
            }),
            c: set(['ipv4_addr', 'inet_service'], {
              interval: true,
              elements: [{ key: ['10.0.0.0/8', { from: 80, to: 90 }] }],
            }),
            d: set('mark', { interval: true, elements: [{ key: { from: 1, to: 5 } }, { key: 0xffffffff }] }),
            e: set('ifname', { elements: [{ key: 'lo', comment: 'loop' }] }),
            f: map('ipv4_addr', 'mark', { elements: [{ key: '10.0.0.1', data: 7 }] }),
          },
        },
        () => [],
      )
      await tables.apply(rules)
      await expect(tables.apply(rules)).resolves.toMatchObject({ plan: 'unchanged' })
      for (const spec of rules.tables[0]?.sets ?? []) expect(await tables.set(ex, spec).list()).toEqual(spec.elements)
    })
  })
}
