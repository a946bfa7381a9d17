import { be16 } from '@cni/netns/netlink'
import { addElements, addSet, Batch, deleteElements, deleteSet, elementsOf, type Nft, setsOf } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { accept, begun, chain, comments, counter, ex, jump, rule, thrown, type World } from './world.ts'

const base = { type: 'filter', hook: 'output', priority: 0 } as const

/** Contract tests of committed batches of `@cni/nftables/wire`. */
export function changesBehaviour(open: () => Promise<World>): void {
  const run = (title: string, body: (nft: Nft, world: World) => void | Promise<void>) =>
    test(title, async () => {
      await using world = await open()
      await body(world.nft, world)
    })

  describe('a batch', () => {
    run('is one commit over any tables and families, and one generation', (nft) => {
      const before = nft.generation()
      const batch = new Batch()
      for (const family of ['ip', 'ip6', 'inet'] as const) {
        batch.addTable({ family, table: 'ex' }).addChain({ family, table: 'ex', chain: 'c' })
        batch.addRule({ family, table: 'ex', chain: 'c', expressions: [counter] })
      }
      nft.commit(batch)
      expect(nft.generation()).toBe(before + 1)
      expect(nft.tables().map(({ family, table }) => [family, table])).toEqual([
        ['ip', 'ex'],
        ['ip6', 'ex'],
        ['inet', 'ex'],
      ])
      expect(nft.rules()).toHaveLength(3)
      expect(nft.rules({ family: 'ip6' })).toHaveLength(1)
    })

    run('is not sent if empty, and changes nothing if only checked', (nft) => {
      const before = nft.generation()
      nft.commit(new Batch())
      nft.check(begun())
      expect(nft.generation()).toBe(before)
      expect(nft.tables()).toEqual([])
    })

    run('changes nothing if the kernel refuses it, and the error names every fault', (nft) => {
      nft.commit(begun())
      const before = nft.generation()
      const batch = new Batch().addRule(rule('good')).addRule(rule('bad', [counter, jump('nowhere')]))
      batch.addRule({ ...chain, chain: 'never', expressions: [counter] })
      const error = thrown(() => nft.commit(batch))
      expect(error.code).toBe('REFUSED')
      expect(error.message).toBe(
        'nf_tables refused the changes, and made none of them: ' +
          'Add a rule of chain "c" in table inet "ex": ENOENT at expression 1 (immediate), there is no chain "nowhere" to jump to; ' +
          'Add a rule of chain "never" in table inet "ex": ENOENT at chain, there is no chain "never"',
      )
      expect(error.faults.map(({ index, kind, chain, expression }) => ({ index, kind, chain, expression }))).toEqual([
        { index: 1, kind: 'rule', chain: 'c', expression: 1 },
        { index: 2, kind: 'rule', chain: 'never', expression: undefined },
      ])
      expect(thrown(() => nft.check(batch)).faults).toHaveLength(2)
      expect(nft.generation()).toBe(before)
      expect(comments(nft)).toEqual([])
    })
  })

  describe('tables and chains', () => {
    run('are reported as they were added', (nft) => {
      nft.commit(
        new Batch()
          .addTable({ ...ex, comment: 'a table' })
          .addChain({ ...chain, comment: 'a chain' })
          .addChain({ ...ex, chain: 'out', base, policy: 'drop' }),
      )
      expect(nft.tables()).toEqual([expect.objectContaining({ ...ex, use: 2, comment: 'a table' })])
      const [first, second, ...rest] = nft.chains({ family: 'inet', table: 'ex' })
      expect(rest).toEqual([])
      expect(first).toMatchObject({ ...chain, use: 0, comment: 'a chain' })
      expect(first).not.toHaveProperty('base')
      expect(second).toMatchObject({ chain: 'out', base, policy: 'drop' })
      expect(nft.chains({ table: 'other' })).toEqual([])
    })

    run('stay unchanged if they exist, and are refused with exclusive', (nft) => {
      nft.commit(
        begun()
          .addChain({ ...ex, chain: 'out', base, policy: 'drop' })
          .addRule(rule('one')),
      )
      nft.commit(begun().addChain({ ...ex, chain: 'out', base }))
      expect(nft.chains()[1]?.policy).toBe('drop')
      expect(comments(nft)).toEqual(['one'])
      nft.commit(new Batch().addChain({ ...ex, chain: 'out', base, policy: 'accept' }))
      expect(nft.chains()[1]?.policy).toBe('accept')
      const batch = new Batch().addTable(ex, { exclusive: true }).addChain(chain, { exclusive: true })
      expect(thrown(() => nft.commit(batch)).faults).toEqual([
        expect.objectContaining({ code: 'EEXIST', kind: 'table', part: 'table' }),
        expect.objectContaining({ code: 'EEXIST', kind: 'chain', part: 'chain', chain: 'c' }),
      ])
    })

    run('are deleted with their content', (nft) => {
      nft.commit(begun().addRule(rule('one')))
      nft.commit(new Batch().deleteChain(chain))
      expect(nft.chains()).toEqual([])
      nft.commit(begun().addRule(rule('one')))
      nft.commit(new Batch().deleteTable(ex))
      expect(nft.tables()).toEqual([])
      nft.commit(new Batch().destroyTable(ex))
    })

    run('may have names of 255 bytes with any characters', (nft) => {
      const odd = { family: 'ip', table: `a "b' ${'é'.repeat(124)}x`, chain: '-j' } as const
      expect(Buffer.byteLength(odd.table)).toBe(255)
      nft.commit(new Batch().addTable(odd).addChain(odd))
      expect(nft.chains()).toEqual([expect.objectContaining(odd)])
    })
  })

  describe('rules', () => {
    run('are added at their place', (nft) => {
      nft.commit(begun().addRule(rule('2')).addRule(rule('5')))
      const [two, five] = nft.rules(chain).map(({ handle }) => handle)
      if (two === undefined || five === undefined) throw new Error('no rules')
      nft.commit(
        new Batch()
          .addRule({ ...rule('6'), place: 'last' })
          .addRule({ ...rule('1'), place: 'first' })
          .addRule({ ...rule('3'), place: { after: two }, id: 7 })
          .addRule({ ...rule('4'), place: { before: five } })
          .addRule({ ...rule('3½'), place: { afterId: 7 } })
          .addRule({ ...rule('2½'), place: { beforeId: 7 } }),
      )
      expect(comments(nft)).toEqual(['1', '2', '2½', '3', '3½', '4', '5', '6'])
    })

    run('are replaced and deleted by handle', (nft) => {
      nft.commit(begun().addRule(rule('1')).addRule(rule('2')).addRule(rule('3')))
      const [one, two] = nft.rules(chain)
      if (one === undefined || two === undefined) throw new Error('no rules')
      nft.commit(new Batch().deleteRule(one).replaceRule(two.handle, rule('two', [accept])))
      expect(comments(nft)).toEqual(['two', '3'])
      expect(nft.rules(chain)[0]?.expressions).toEqual([accept])
      expect(thrown(() => nft.commit(new Batch().deleteRule(one))).faults).toEqual([
        expect.objectContaining({ code: 'ENOENT', part: 'handle', chain: 'c' }),
      ])
      nft.commit(new Batch().flush(chain))
      expect(comments(nft)).toEqual([])
    })

    run('are deleted by a flush of the table', (nft) => {
      nft.commit(
        begun()
          .addChain({ ...ex, chain: 'd' })
          .addRule(rule('1'))
          .addRule({ ...rule('2'), chain: 'd' }),
      )
      nft.commit(new Batch().flush(ex))
      expect(nft.rules()).toEqual([])
      expect(nft.chains()).toHaveLength(2)
    })
  })

  describe('sets', () => {
    const ports = { ...ex, set: 'ports', keyType: 13, keyLength: 2 }

    run('hold the elements that were added', (nft) => {
      nft.commit(
        addElements(addSet(begun(), { ...ports, comment: 'a set', size: 10 }), ports, [
          { key: be16(80), comment: 'http' },
          { key: be16(443) },
        ]),
      )
      expect(setsOf(nft)).toEqual([
        expect.objectContaining({ set: 'ports', keyType: 13, keyLength: 2, size: 10, comment: 'a set' }),
      ])
      const keys = () => elementsOf(nft, ports).map(({ key }) => Buffer.from(key ?? []).readUInt16BE(0))
      expect(keys().sort()).toEqual([443, 80])
      expect(elementsOf(nft, ports).find(({ key }) => key?.[1] === 80)?.comment).toBe('http')
      nft.commit(deleteElements(addElements(new Batch(), ports, [{ key: be16(80) }]), ports, [{ key: be16(443) }]))
      expect(keys()).toEqual([80])
      nft.commit(deleteElements(new Batch(), ports))
      expect(keys()).toEqual([])
      nft.commit(deleteSet(new Batch(), ports))
      expect(setsOf(nft)).toEqual([])
    })

    run('with 20 000 elements are written and read in several messages', (nft) => {
      const all = Array.from({ length: 20_000 }, (_, i) => ({ key: be16(i) }))
      nft.commit(addElements(addSet(new Batch().addTable(ex), ports), ports, all))
      const found = elementsOf(nft, ports).map(({ key }) => Buffer.from(key ?? []).readUInt16BE(0))
      expect(found.sort((a, b) => a - b)).toEqual(all.map((_, i) => i))
    })

    run('may be verdict maps', (nft) => {
      const map = { ...ports, flags: ['map'] as const, dataType: 'verdict' as const, dataLength: 16 }
      nft.commit(addElements(addSet(begun(), map), ports, [{ key: be16(80), data: { verdict: 'jump', chain: 'c' } }]))
      expect(setsOf(nft)[0]).toMatchObject({ flags: ['map'], dataType: 'verdict', dataLength: 16 })
      expect(elementsOf(nft, ports)[0]?.data).toEqual({ verdict: 'jump', chain: 'c' })
    })

    run('may hold intervals of concatenated keys', (nft) => {
      const set = { ...ex, set: 'pairs', keyType: 461, keyLength: 8 }
      const key = Buffer.from('0a00000000500000', 'hex')
      const keyEnd = Buffer.from('0affffff005a0000', 'hex')
      nft.commit(
        addElements(addSet(new Batch().addTable(ex), { ...set, flags: ['interval', 'concat'], concat: [4, 2] }), set, [
          { key, keyEnd },
        ]),
      )
      expect(setsOf(nft)[0]).toMatchObject({ flags: ['interval', 'concat'], concat: [4, 2] })
      expect(elementsOf(nft, set)[0]).toMatchObject({ key, keyEnd })
    })

    run('without a name are found by id, and deleted with their rule', (nft) => {
      const set = { ...ports, set: '__set%d', setId: 1, flags: ['anonymous', 'constant'] as const }
      const lookup = { name: 'lookup', set: '__set%d', setId: 1, sreg: 1 } as const
      const load = { name: 'payload', dreg: 1, base: 'transport', offset: 2, len: 2 } as const
      nft.commit(addElements(addSet(begun(), set), set, [{ key: be16(80) }]).addRule(rule('ports', [load, lookup])))
      expect(setsOf(nft).map((each) => each.set)).toEqual(['__set0'])
      expect(nft.rules(chain)[0]?.expressions).toEqual([load, { name: 'lookup', set: '__set0', sreg: 1 }])
      nft.commit(new Batch().flush(chain))
      expect(setsOf(nft)).toEqual([])
    })

    run('that do not exist are refused, and not found', (nft) => {
      nft.commit(begun())
      expect(thrown(() => elementsOf(nft, ports)).code).toBe('NOT_FOUND')
      expect(setsOf(nft, { family: 'inet', table: 'other' })).toEqual([])
      expect(nft.rules({ family: 'inet', table: 'other' })).toEqual([])
      const batch = addElements(new Batch(), ports, [{ key: be16(80) }]).addRule({
        ...chain,
        expressions: [{ name: 'lookup', set: 'ports', sreg: 1 }],
      })
      expect(thrown(() => nft.commit(batch)).faults.map(({ text }) => text)).toEqual([
        'Add elements of set "ports" in table inet "ex": ENOENT at set, there is no set "ports"',
        expect.stringContaining('there is no set "ports"'),
      ])
    })
  })
}
