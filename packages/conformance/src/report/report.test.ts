import { expect, test } from 'vitest'
import type { CheckResult, Exchange, Report } from '../model.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderText } from './text.ts'

const exchange: Exchange = {
  env: { PATH: '/bin', CNI_COMMAND: 'ADD', CNI_IFNAME: 'a b' },
  stdin: '{"name": "n"}',
  special: 'stdout has no reader',
  exitCode: 1,
  signal: null,
  stdout: '{"code":7,\n"msg":"no"}',
  stderr: 'log \u001b[31m<red>\u009b\u2066\n',
  durationMs: 12,
  timedOut: false,
}
const result = (id: string, outcome: CheckResult['outcome']): CheckResult => {
  return { id, group: 'del', title: `title of ${id}`, spec: 'SPEC', outcome, durationMs: 1500 }
}
const finding = { why: 'because', spec: 'SPEC "DEL"' }
const report: Report = {
  verdict: 'violations',
  unchecked: [{ reason: 'ADD with <this> failed', checks: ['f.blocked', 'g.blocked'] }],
  plugin: '/opt/cni/bin/p',
  chained: true,
  supportedVersions: ['1.0.0'],
  version: '1.0.0',
  results: [
    result('a.pass', { status: 'pass' }),
    result('b.fail', {
      status: 'fail',
      findings: [
        { ...finding, severity: 'violation', summary: 'it is <bad>\u0007\u009b\u202e', exchange },
        { ...finding, severity: 'violation', summary: 'and worse', exchange },
        { ...finding, severity: 'advice', summary: 'could be nicer' },
      ],
      notes: ['by the way'],
    }),
    result('c.note', { status: 'note', notes: ['only this'] }),
    result('d.skip', { status: 'skipped', reason: 'not chained' }),
    result('e.skip', { status: 'skipped', reason: 'not chained' }),
    result('f.blocked', { status: 'blocked', reason: 'ADD with <this> failed' }),
    result('g.blocked', { status: 'blocked', reason: 'ADD with <this> failed' }),
  ],
  counts: { pass: 1, fail: 1, note: 1, skipped: 2, blocked: 2, violation: 2, advice: 1 },
  conforms: false,
  leftOut: 0,
  executions: 40,
  durationMs: 2500,
}

test('the text contains violations, advice, notes and reasons, with input and output of the calls', () => {
  const text = renderText(report)
  expect(text.split('\n').map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      '/opt/cni/bin/p (chained)',
      'supports 1.0.0; checked with 1.0.0, 40 executions in 2.5 s',
      'VIOLATIONS',
      '- it is <bad>',
      '- and worse',
      'why     because',
      'spec    SPEC "DEL"',
      'sent    CNI_COMMAND=ADD CNI_IFNAME="a b"',
      'stdout has no reader',
      'stdin   {"name":"n"}',
      'got     exit code 1 after 12 ms',
      'stdout  {"code":7,"msg":"no"}',
      'ADVICE',
      '- could be nicer',
      'b.fail: by the way',
      'c.note: only this',
      'not chained: d.skip, e.skip',
      '1 passed, 2 violations, 1 of advice, 1 note, 2 skipped, 2 not made',
      'The plugin does not conform.',
    ]),
  )
})

test('blocked checks come first in every report', () => {
  const text = renderText(report)
  expect(text.split('\n').slice(3, 7)).toEqual([
    'INCOMPLETE',
    '  - ADD with <this> failed',
    '    f.blocked, g.blocked',
    '  What a plugin may need: --conf; --chained, after other plugins; --args; --share, its daemon.',
  ])
  expect(Object.keys(JSON.parse(renderJson(report))).slice(0, 2)).toEqual(['verdict', 'unchecked'])
  expect(renderJunit(report).split('\n').slice(2, 6)).toEqual([
    '  <testsuite name="incomplete" tests="1" failures="0" errors="1" skipped="0" time="0.000">',
    '    <testcase classname="incomplete" name="ADD with &lt;this&gt; failed" time="0.000">',
    '      <error message="ADD with &lt;this&gt; failed">not checked: f.blocked, g.blocked</error>',
    '    </testcase>',
  ])
})

test.each<[Partial<Report>, string]>([
  [{ verdict: 'conforms', unchecked: [] }, 'The plugin conforms.'],
  [{ verdict: 'conforms', unchecked: [], leftOut: 3 }, 'The plugin conforms in 7 checks; 3 were left out.'],
  [{ verdict: 'incomplete' }, 'Incomplete: 2 checks could not be made. The others found no violation.'],
  [{ verdict: 'incomplete', results: report.results.slice(-2) }, 'Incomplete: nothing could be checked.'],
  [{ verdict: 'violations' }, 'The plugin does not conform.'],
])('%j is summarized: %s', (changes, sentence) => {
  expect(
    renderText({ ...report, ...changes })
      .trimEnd()
      .split('\n')
      .at(-1),
  ).toBe(sentence)
})

test('the output of a plugin cannot move the cursor; colours are optional', () => {
  const hostile = { ...report, supportedVersions: ['1.0.0', '\u001b[2J\u202e'] }
  expect(renderText(hostile)).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u)
  expect(renderText(report, { colour: true })).toContain('\u001b[31mVIOLATIONS\u001b[0m')
})

test('JSON contains the whole report', () => {
  expect(JSON.parse(renderJson(report))).toEqual(report)
})

test('JUnit counts violations as failures, escapes text, and keeps advice as output', () => {
  const xml = renderJunit(report)
  expect(xml).toContain('<testsuite name="del" tests="7" failures="1" skipped="4" time="10.500">')
  expect(xml).toContain('<testcase classname="del" name="a.pass: title of a.pass" time="1.500"/>')
  expect(xml).toContain('<failure message="it is &lt;bad&gt;\ufffd\u009b\u202e">')
  expect(xml).toContain('<system-out>advice: could be nicer (SPEC &quot;DEL&quot;)\nby the way</system-out>')
  expect(xml).toContain('<skipped message="not chained"/>')
})
