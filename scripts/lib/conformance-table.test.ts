import type { Report } from '@cni/conformance'
import { expect, test } from 'vitest'
import { conformancePage } from './conformance-table.ts'

const counts = { pass: 3, fail: 1, note: 0, skipped: 0, blocked: 2, violation: 1, advice: 0 }
const finding = { severity: 'violation', summary: 'prints <b>two</b> | documents', why: '', spec: '' } as const
const report: Report = {
  ...{ verdict: 'violations', plugin: '/x', chained: false, supportedVersions: ['1.0.0'], version: '1.0.0' },
  ...{ conforms: false, leftOut: 0, executions: 9, durationMs: 1, counts },
  unchecked: [{ reason: 'ADD fails', checks: ['a', 'b'] }],
  results: [
    {
      ...{ id: 'stdout.one', group: 'stdout', title: '', spec: '', durationMs: 1 },
      outcome: { status: 'fail', findings: [finding], notes: [] },
    },
  ],
}

test('a row has the verdict and counts, and the findings follow as text', () => {
  const page = conformancePage(
    [
      { name: 'bridge', origin: 'Debian', kind: 'main', report },
      { name: 'gone', origin: 'Debian', kind: 'chained', report: { problem: 'no such file' } },
    ],
    { date: '2026-11-27', kernel: '6.1' },
  )
  expect(page).toContain('| `bridge` | Debian | main | ✕ violations | 3 | 1 | 0 | 2 |')
  expect(page).toContain('| `gone` | Debian | chained | could not be run: no such file |  |  |  |  |')
  expect(page).toContain('- violation, `stdout.one`: prints \\<b\\>two\\</b\\> \\| documents')
  expect(page).toContain('- not checked (2): ADD fails')
})
