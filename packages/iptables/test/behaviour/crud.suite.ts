import { describe, expect, test } from 'vitest'
import { ruleBuilders } from '../../src/crud/rule-builders.ts'
import type { Transaction } from '../../src/crud/transaction.ts'
import { type Family, families } from '../../src/rules/model.ts'

import { foreign, held, type Start } from './world.ts'

/** Tests for single operations on chains and rules, and for transactions. */
export function crudBehaviour(start: Start): void {
  describe('chains and rules', () => {
    const { nat } = ruleBuilders({ nat: ['EX', 'OTHER'] })
    const web = nat.on('EX').proto('tcp').dport(80).redirect(8080)
    const jump = nat.insert('OUTPUT', 2).proto('tcp').jump('EX')

    test('can be created, listed, changed and deleted one by one', async () => {
      await using s = await start()
      await s.tamper(foreign)
      const before = await held(s.ipt)
      expect((await s.crud.createChain('nat', 'EX')).families).toEqual(['ipv4', 'ipv6'])
      await s.crud.appendRule(web)
      await s.crud.insertRule(jump)
      await s.crud.insertRule(nat.on('EX').only('ipv6').return())
      expect(await s.crud.hasRule(nat.on('EX').proto('tcp').dport('80').redirect(8080))).toBe(true)
      expect(await s.crud.hasRule(nat.on('EX').proto('tcp').dport(81).redirect(8080))).toBe(false)
      expect((await s.crud.listChains('nat')).filter(({ name: chain }) => chain === 'EX')).toEqual([
        { family: 'ipv4', name: 'EX', builtin: false, size: 1 },
        { family: 'ipv6', name: 'EX', builtin: false, size: 2 },
      ])
      expect(
        (await s.crud.listRules('nat', 'OUTPUT')).map((rule) => `${rule.family} ${rule.position} ${rule.target}`),
      ).toEqual(
        families.flatMap((family) => [
          `${family} 1 RETURN`,
          `${family} 2 EX`,
          `${family} 3 OTHER`,
          `${family} 4 RETURN`,
        ]),
      )
      await s.crud.renameChain('nat', 'EX', 'EX2')
      expect(await s.crud.listRules('nat', 'EX')).toEqual([])
      expect((await s.crud.listRules('nat', 'OUTPUT'))[1]?.target).toBe('EX2')
      await s.crud.renameChain('nat', 'EX2', 'EX')
      await s.crud.deleteRule(jump)
      await s.crud.flushChain('nat', 'EX')
      expect(await s.crud.listRules('nat', 'EX')).toEqual([])
      await s.crud.deleteChain('nat', 'EX')
      expect(await held(s.ipt)).toEqual(before)
    })

    test('stay unchanged when a step is repeated, except that append and insert add a rule again', async () => {
      await using s = await start()
      const twice = async (step: () => Promise<{ families: readonly Family[] }>) => {
        await step()
        return (await step()).families.length
      }
      expect(await twice(() => s.crud.createChain('nat', 'EX'))).toBe(0)
      expect(await twice(() => s.crud.ensureRule(web))).toBe(0)
      expect(await twice(() => s.crud.appendRule(web))).toBe(2)
      expect(await s.crud.listRules('nat', 'EX')).toHaveLength(6)
      for (let left = 3; left > 0; left--) await s.crud.deleteRule(web)
      expect((await s.crud.deleteRule(web)).families).toEqual([])
      expect(await twice(() => s.crud.flushChain('nat', 'EX'))).toBe(0)
      expect(await twice(() => s.crud.deleteChain('nat', 'EX'))).toBe(0)
      expect(await held(s.ipt)).toEqual({})
    })

    test('are written together in a transaction', async () => {
      await using s = await start()
      const { families: written, undo } = await s.ipt.transaction((t) => {
        t.createChain('nat', 'EX')
        t.appendRule(web)
        t.ensureRule(web)
        t.ensureRule(nat.insert('OUTPUT').proto('tcp').jump('EX'))
        t.createChain('mangle', 'GONE')
        t.deleteChain('mangle', 'GONE')
      })
      expect(written).toEqual(['ipv4', 'ipv6'])
      expect(await held(s.ipt)).toEqual(
        Object.fromEntries(
          families.flatMap((family) => [
            [`${family} nat OUTPUT`, ['ACCEPT', '-p tcp -j EX']],
            [`${family} nat EX`, ['-', expect.stringMatching(/^-p tcp .*--dport 80 -j REDIRECT --to-ports 8080$/)]],
          ]),
        ),
      )
      await undo()
      expect(await held(s.ipt)).toEqual({})
    })

    test.for<[string, string, (s: Awaited<ReturnType<Start>>) => Promise<unknown>]>([
      ['a rule in a missing chain', 'NO_CHAIN', ({ crud }) => crud.appendRule(web)],
      ['a jump to a missing chain', 'NO_CHAIN', ({ crud }) => crud.ensureRule(nat.on('OUTPUT').jump('EX'))],
      ['deleting a chain that is jumped to', 'NO_CHAIN', ({ crud }) => crud.deleteChain('nat', 'OTHER')],
      [
        'renaming to a name in use',
        'INVALID_RULE',
        ({ ipt }) =>
          ipt.transaction((t) => {
            t.createChain('nat', 'EX')
            t.renameChain('nat', 'EX', 'OTHER')
          }),
      ],
      ['a position behind the end', 'INVALID_RULE', ({ crud }) => crud.insertRule(nat.insert('OTHER', 9).return())],
      ['the name of a built-in chain', 'INVALID_RULE', ({ crud }) => crud.deleteChain('nat', 'OUTPUT')],
      [
        'an asynchronous function, whose later steps would be lost',
        'INVALID_RULE',
        ({ ipt }) =>
          // @ts-expect-error An async function does not compile.
          ipt.transaction(async (t) => {
            t.flushChain('nat', 'OTHER')
            await Promise.resolve()
            t.deleteChain('nat', 'OTHER')
          }),
      ],
      [
        'a step after the transaction',
        'INVALID_RULE',
        async ({ ipt }) => {
          let late: Transaction | undefined
          await ipt.transaction((t) => {
            late = t
          })
          late?.flushChain('nat', 'OTHER')
        },
      ],
      ['an invalid name', 'INVALID_RULE', ({ crud }) => crud.createChain('nat', 'X\nCOMMIT')],
      [
        'steps that throw',
        'INVALID_RULE',
        ({ ipt }) =>
          ipt.transaction((t) => {
            t.flushChain('nat', 'OTHER')
            t.appendRule(jump)
          }),
      ],
    ])('%s is refused and changes nothing', async ([, code, act]) => {
      await using s = await start()
      await s.tamper(foreign)
      const before = await held(s.ipt)
      await expect(act(s)).rejects.toMatchObject({ name: 'IptablesError', code })
      expect(await held(s.ipt)).toEqual(before)
    })

    test('are rolled back in both families if the kernel refuses them in one', async () => {
      await using s = await start()
      const { filter } = ruleBuilders({ filter: ['NEW'] })
      const refused = filter.on('NEW').only('ipv6').rawTarget('NOSUCHTARGET')
      await expect(
        s.ipt.transaction((t) => {
          t.createChain('filter', 'NEW')
          t.appendRule(refused)
        }),
      ).rejects.toMatchObject({ name: 'IptablesError' })
      expect(await held(s.ipt)).toEqual({})
    })
  })
}
