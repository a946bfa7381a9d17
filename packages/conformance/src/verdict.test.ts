import { expect, test } from 'vitest'
import type { CheckResult, Finding } from './model.ts'
import { verdictOf } from './verdict.ts'

const result = (outcome: CheckResult['outcome'], index: number): CheckResult => {
  return { id: `check.${index}`, group: 'del', title: 't', spec: 's', outcome, durationMs: 1 }
}
const fail = (severity: Finding['severity'], blocked?: string): CheckResult['outcome'] => {
  const findings = [{ severity, summary: 's', why: 'w', spec: 's' }]
  return { status: 'fail', findings, notes: [], ...(blocked === undefined ? {} : { blocked }) }
}
const pass: CheckResult['outcome'] = { status: 'pass' }
const skipped: CheckResult['outcome'] = { status: 'skipped', reason: 'not chained' }
const blocked: CheckResult['outcome'] = { status: 'blocked', reason: 'ADD failed' }
const added = { reason: 'ADD failed', checks: ['check.1'] }

test.each([
  ['all pass', [pass, pass], 'conforms', []],
  ['advice and notes are no violation', [fail('advice'), { status: 'note', notes: ['n'] }], 'conforms', []],
  ['a rule about other plugins', [pass, skipped], 'conforms', []],
  ['a check that could not be made', [pass, blocked], 'incomplete', [added]],
  ['a check that stopped after advice', [pass, fail('advice', 'ADD failed')], 'incomplete', [added]],
  ['a violation counts more', [fail('violation'), blocked], 'violations', [added]],
  [
    'nothing but rules about others',
    [skipped],
    'incomplete',
    [{ reason: 'no check concerns this plugin', checks: ['check.0'] }],
  ],
] as const)('%s', (_, outcomes, verdict, unchecked) => {
  const judged = verdictOf(outcomes.map(result))
  expect(judged).toMatchObject({ verdict, conforms: verdict === 'conforms' })
  expect(judged.unchecked).toEqual(unchecked)
})

test('blocked checks with the same reason are grouped', () => {
  const other: CheckResult['outcome'] = { status: 'blocked', reason: 'no nft' }
  expect(verdictOf([blocked, other, blocked].map(result)).unchecked).toEqual([
    { reason: 'ADD failed', checks: ['check.0', 'check.2'] },
    { reason: 'no nft', checks: ['check.1'] },
  ])
})
