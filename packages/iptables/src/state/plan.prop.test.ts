import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyRuleset } from '../../test/random/arbitraries.ts'
import { parseSave, type SavedTables } from '../parse/saved-tables.ts'
import type { Rule, Ruleset } from '../rules/model.ts'
import { ruleset } from '../rules/ruleset.ts'
import { stepsText } from '../steps/steps.ts'
import { written } from '../steps/written.ts'
import { FakeTables } from '../testing/fake-tables.ts'
import { restoreText } from '../text/restore-text.ts'
import { desiredState, removedState } from './desired.ts'
import { diffState } from './diff.ts'
import { isClean } from './drift.ts'
import { planSteps } from './plan.ts'
import { reverted, unwritten, withoutDangling } from './revert.ts'
import { transitionSteps } from './transition.ts'

/** Foreign rules in OUTPUT, and own ones: plain rules and jumps. */
const foreign = ['-p tcp -m tcp --dport 1 -j ACCEPT', '-p udp -j RETURN', '-o eth9 -j OTHER']
const stale = ['-p sctp -j EX_A', '-j EX_OLD']
const ours = ['-p tcp -j EX_A', '-o lo -j RETURN', '-j EX_A', '-p udp -j EX_B', '-m owner --uid-owner 5 -j RETURN']

const desiredRules = fc.uniqueArray(
  fc.tuple(fc.nat(ours.length - 1), fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })),
  { selector: ([index]) => index, maxLength: ours.length },
)
const currentRules = fc.array(fc.constantFrom(...foreign, ...stale, ...ours), { maxLength: 10 })
const content = fc.array(fc.constantFrom('-p tcp -j RETURN', '-j RETURN', '-p udp -j DROP'), { maxLength: 4 })

function build(list: [number, number | undefined][]): Ruleset {
  return ruleset({ filter: ['EX_A', 'EX_B', 'EX_OLD'] }, (t) => {
    const rules: Rule[] = []
    for (const [index, position] of list) {
      const start = position === undefined ? t.filter.on('OUTPUT') : t.filter.insert('OUTPUT', position)
      const each = [
        () => start.proto('tcp').jump('EX_A'),
        () => start.out('lo').return(),
        () => start.jump('EX_A'),
        () => start.proto('udp').jump('EX_B'),
        () => start.uid(5).return(),
      ][index]
      if (each !== undefined) rules.push(each())
    }
    return [...rules, t.filter.on('EX_A').proto('tcp').return(), t.filter.on('EX_A').return()]
  })
}

function kernel(current: readonly string[], exA: readonly string[] | undefined): FakeTables {
  const tables = new FakeTables('ipv4')
  const chains = ['OTHER', 'EX_OLD', 'EX_A', 'EX_B']
  const refused = tables.restore(
    `*filter\n${chains.map((name) => `-N ${name}\n`).join('')}${(exA ?? []).map((rule) => `-A EX_A ${rule}\n`).join('')}${current
      .map((rule) => `-A OUTPUT ${rule}\n`)
      .join('')}COMMIT\n`,
  )
  expect(refused).toBeUndefined()
  return tables
}

const read = (tables: FakeTables): SavedTables => parseSave(tables.save(), 'ipv4')
const output = (tables: FakeTables) =>
  read(tables)
    .tables.get('filter')
    ?.get('OUTPUT')
    ?.rules.map((rule) => rule.text) ?? []
/** Rules of each chain in order. The order of the chains has no meaning. */
const chainsOf = (tables: FakeTables) =>
  Object.fromEntries(
    [...(read(tables).tables.get('filter') ?? [])].map(([name, { rules }]) => [name, rules.map(({ text }) => text)]),
  )

function leadTo(tables: FakeTables, target: SavedTables): void {
  const now = read(tables)
  const text = stepsText(transitionSteps(now, withoutDangling(now, target)))
  expect(tables.restore(text), text).toBeUndefined()
}
const foreignIn = (list: readonly string[]) => list.filter((rule) => foreign.includes(rule))

describe('planSteps', () => {
  test('leads from any state to the wanted one in one text, and never moves or drops a foreign rule', () => {
    fc.assert(
      fc.property(desiredRules, currentRules, content, (list, current, exA) => {
        const rules = build(list)
        const desired = desiredState(rules, 'ipv4')
        const tables = kernel(current, exA)
        const plan = stepsText(planSteps(desired, read(tables)))
        expect(tables.restore(plan), plan).toBeUndefined()
        const drift = diffState(desired, read(tables))
        expect(drift, `${plan}\n${output(tables).join('\n')}`).toEqual({ missing: [], unexpected: [], changed: [] })
        expect(stepsText(planSteps(desired, read(tables)))).toBe('')
        expect(foreignIn(output(tables))).toEqual(foreignIn(current))
      }),
      { numRuns: 1000 },
    )
  })

  test('is empty if and only if there is no drift', () => {
    fc.assert(
      fc.property(desiredRules, currentRules, content, (list, current, exA) => {
        const desired = desiredState(build(list), 'ipv4')
        const snapshot = read(kernel(current, exA))
        expect(planSteps(desired, snapshot).size === 0).toBe(isClean(diffState(desired, snapshot)))
      }),
      { numRuns: 500 },
    )
  })

  test('undo leads back to exactly the previous rules', () => {
    fc.assert(
      fc.property(desiredRules, currentRules, content, (list, current, exA) => {
        const desired = desiredState(build(list), 'ipv4')
        const tables = kernel(current, exA)
        const before = read(tables)
        const saved = chainsOf(tables)
        const steps = planSteps(desired, before)
        tables.restore(stepsText(steps))
        const after = written(before, steps)
        const left = transitionSteps(after, read(tables))
        expect(stepsText(left), 'what a write makes is known without reading').toBe('')
        leadTo(tables, reverted(read(tables), { before, steps }))
        expect(chainsOf(tables)).toEqual(saved)
      }),
      { numRuns: 500 },
    )
  })

  test('undo keeps changes that other programs make meanwhile', () => {
    fc.assert(
      fc.property(desiredRules, currentRules, fc.nat(9), (list, current, place) => {
        const tables = kernel(current, [])
        const before = read(tables)
        const steps = planSteps(desiredState(build(list), 'ipv4'), before)
        tables.restore(stepsText(steps))
        const position = Math.min(place, output(tables).length) + 1
        tables.restore(`*filter\n-I OUTPUT ${position} -p icmp -j DROP\nCOMMIT\n`)
        leadTo(tables, reverted(read(tables), { before, steps }))
        expect(output(tables)).toContain('-p icmp -j DROP')
        expect(output(tables).filter((rule) => rule !== '-p icmp -j DROP')).toEqual(current)
      }),
      { numRuns: 300 },
    )
  })

  test('undo of a first apply removes rules at the places where they were written', () => {
    fc.assert(
      fc.property(desiredRules, fc.array(fc.constantFrom(...foreign, '-o lo -j RETURN')), (list, current) => {
        const tables = new FakeTables('ipv4')
        const text = current.map((rule) => `-A OUTPUT ${rule}\n`).join('')
        tables.restore(`*filter\n-N OTHER\n${text}COMMIT\n`)
        const rules = build(list.map(([index, position]) => [index, position === undefined ? undefined : 1]))
        const saved = chainsOf(tables)
        expect(tables.restore(restoreText(rules, 'ipv4'))).toBeUndefined()
        leadTo(tables, unwritten(read(tables), rules, new Set(['filter'])))
        expect(chainsOf(tables)).toEqual(saved)
      }),
      { numRuns: 300 },
    )
  })

  test('removes every ruleset that was applied to an empty kernel', () => {
    fc.assert(
      fc.property(anyRuleset, (rules) => {
        const tables = new FakeTables('ipv6')
        expect(tables.restore(restoreText(rules, 'ipv6'))).toBeUndefined()
        expect(isClean(diffState(desiredState(rules, 'ipv6'), parseSave(tables.save(), 'ipv6')))).toBe(true)
        const steps = planSteps(removedState(rules, 'ipv6'), parseSave(tables.save(), 'ipv6'))
        expect(tables.restore(stepsText(steps))).toBeUndefined()
        expect(tables.save({ brief: true })).toBe('')
      }),
      { numRuns: 200 },
    )
  })
})
