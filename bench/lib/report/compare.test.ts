import { describe, expect, it } from 'vitest'
import { compare, confirm, verdict } from './compare.ts'
import type { Measure, Report } from './report.ts'
import type { Ratio } from './statistics.ts'

const ratio = (value: number, low?: number, high?: number, to = 'original'): Ratio =>
  low === undefined || high === undefined ? { to, value } : { to, value, low, high }

const measure = (ratios: Ratio[], more: Partial<Measure> = {}): Measure => ({
  group: 'ADD',
  name: 'ours',
  quantity: 'ms',
  ...{ runs: 20, median: 10, min: 9, max: 12 },
  ratios,
  ...more,
})

const report = (suites: Record<string, Measure[]>): Report => ({
  format: 1,
  machine: { cpu: 'any', cores: 2, kernel: '6.1' },
  versions: {},
  peers: [],
  suites: Object.fromEntries(
    Object.entries(suites).map(([name, measures]) => [
      name,
      { about: '', date: '2026-01-01T00:00:00Z', load: 0, settings: {}, measures },
    ]),
  ),
})

describe('a ratio against the stored one', () => {
  it.each([
    ['the same', ratio(0.3, 0.29, 0.31), ratio(0.3, 0.29, 0.31), 'same'],
    ['30 % slower, spreads apart', ratio(0.3, 0.29, 0.31), ratio(0.39, 0.37, 0.41), 'worse'],
    ['30 % slower, spreads overlap', ratio(0.3, 0.25, 0.38), ratio(0.39, 0.36, 0.42), 'same'],
    ['9 % slower, spreads apart', ratio(1, 0.99, 1.01), ratio(1.09, 1.08, 1.1), 'same'],
    ['30 % faster, spreads apart', ratio(0.39, 0.37, 0.41), ratio(0.3, 0.29, 0.31), 'better'],
    ['9 % faster, spreads apart', ratio(1.09, 1.08, 1.1), ratio(1, 0.99, 1.01), 'same'],
    ['ten times slower, too few rounds before', ratio(0.3), ratio(3, 2.9, 3.1), 'not judged'],
    ['ten times slower, too few rounds now', ratio(0.3, 0.29, 0.31), ratio(3), 'not judged'],
  ] as const)('%s: %s → %s', (_, before, after, expected) => {
    expect(verdict(before, after)).toBe(expected)
  })
})

describe('two reports', () => {
  const base = report({ plugin: [measure([ratio(0.3, 0.29, 0.31), ratio(3, 2.9, 3.1, 'bare runtime')])] })

  it('are compared by the first reference that both have, so that a run without originals is judged, too', () => {
    const now = report({ plugin: [measure([ratio(4, 3.9, 4.1, 'bare runtime')])] })
    expect(compare(base, now)).toMatchObject([{ verdict: 'worse', before: { value: 3 }, after: { value: 4 } }])
  })

  it('are not judged without a common reference', () => {
    const now = report({ plugin: [measure([ratio(9, 8, 10, 'something else')])] })
    expect(compare(base, now)).toMatchObject([{ verdict: 'not judged' }])
  })

  it('skip references and suites that did not run', () => {
    expect(compare(base, report({}))).toEqual([])
    expect(compare(base, report({ plugin: [measure([], { name: 'original' })] }))).toEqual([])
  })

  it('report a measure that the baseline lacks as new', () => {
    const now = report({ plugin: [measure([ratio(0.3, 0.29, 0.31)], { group: 'STATUS' })] })
    expect(compare(base, now)).toMatchObject([{ group: 'STATUS', verdict: 'new' }])
  })

  it('keep the quantities of one contender separate', () => {
    const now = report({ plugin: [measure([ratio(0.9, 0.89, 0.91)], { quantity: 'CPU ms' })] })
    expect(compare(base, now)).toMatchObject([{ quantity: 'CPU ms', verdict: 'new' }])
  })
})

describe('a measure that was worse, measured again', () => {
  const row = (verdict: 'worse' | 'same', group: string) =>
    ({ suite: 'plugin', group, name: 'ours', quantity: 'ms', verdict }) as const

  it('stays worse only if it is worse again; other measures are not compared again', () => {
    const first = [row('worse', 'ADD'), row('worse', 'DEL'), row('same', 'CHECK')]
    const again = [row('same', 'ADD'), row('worse', 'DEL'), row('worse', 'CHECK')]
    expect(confirm(first, again).map(({ verdict }) => verdict)).toEqual(['same', 'worse', 'same'])
  })

  it('stays worse if it was not measured again', () => {
    expect(confirm([row('worse', 'ADD')], [])).toMatchObject([{ verdict: 'worse' }])
  })
})
