import { expect, test } from 'vitest'
import { parseSave, type SavedTables } from '../parse/saved-tables.ts'
import { ruleset } from '../rules/ruleset.ts'
import { written } from '../steps/written.ts'
import { desiredState } from './desired.ts'
import { diffState } from './diff.ts'
import { planSteps } from './plan.ts'
import { reverted } from './revert.ts'
import { transitionSteps } from './transition.ts'

/** More rules than a call can have arguments. A pod may write any number of rules into its own namespace. */
const count = 130_000

const flooded = (line: string): SavedTables =>
  parseSave(`*filter\n:EX - [0:0]\n-A OUTPUT -j EX\n-A EX -j DROP\n${`${line}\n`.repeat(count)}COMMIT\n`, 'ipv4')

const desired = desiredState(
  ruleset({ filter: ['EX'] }, (t) => [
    t.filter.on('OUTPUT').jump('EX'),
    t.filter.on('EX').drop(),
    t.filter.on('OUTPUT').mark(6).accept(),
  ]),
  'ipv4',
)

const jump = '-A OUTPUT -j EX'
const harmless = '-A OUTPUT -m mark --mark 6 -j ACCEPT'
const own = '-A EX -m mark --mark 9 -j DROP'

test.each([
  [jump, 1],
  [harmless, 0],
  [own, 1],
])('a flood of %s is compared and corrected', (line, missing) => {
  const before = flooded(line)
  const drift = diffState(desired, before)
  expect([drift.missing.length, drift.unexpected.length]).toEqual([missing, missing * count])
  expect(planSteps(desired, before).size === 0).toBe(line === harmless)
})

test('undo restores a flood of an own chain', () => {
  const before = flooded(own)
  const steps = planSteps(desired, before)
  const after = written(before, steps)
  expect(diffState(desired, after)).toEqual({ missing: [], unexpected: [], changed: [] })
  expect(transitionSteps(reverted(after, { before, steps }), before).size).toBe(0)
})

test('thousands of own rules in a built-in chain are compared in less than two seconds', () => {
  const names = Array.from({ length: 8000 }, (_, i) => `i${i.toString(36)}`)
  const rules = ruleset({ nat: ['EX'] }, (t) => [
    ...names.map((name) => t.nat.on('PREROUTING').in(name).return()),
    t.nat.on('EX').return(),
  ])
  const lines = names.map((name) => `-A PREROUTING -i ${name} -j RETURN\n`).join('')
  const before = parseSave(`*nat\n:PREROUTING ACCEPT [0:0]\n:EX - [0:0]\n${lines}-A EX -j RETURN\nCOMMIT\n`, 'ipv4')
  const began = performance.now()
  expect(diffState(desiredState(rules, 'ipv4'), before)).toEqual({ missing: [], unexpected: [], changed: [] })
  // A quadratic comparison took 10 s.
  expect(performance.now() - began).toBeLessThan(2000)
})
