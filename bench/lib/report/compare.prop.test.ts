import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare } from './compare.ts'
import { type Report, readReportText, reportText } from './report.ts'
import { ratio, stats } from './statistics.ts'

const times = fc.array(fc.double({ min: 0.5, max: 500, noNaN: true }), { minLength: 5, maxLength: 40 })

/** Report of one race: our times and Istio's, by round. */
const reportOf = (ours: readonly number[], original: readonly number[]): Report => {
  const found = ratio('original', ours, original)
  const name = { group: 'ADD', quantity: 'ms' }
  const measures = [
    { ...name, name: 'ours', ...stats(ours), ratios: found === undefined ? [] : [found] },
    { ...name, name: 'original', ...stats(original), ratios: [] },
  ]
  const suite = { about: '', date: '', load: 0, settings: { runs: ours.length }, measures }
  return { format: 1, machine: { cpu: '', cores: 1, kernel: '' }, versions: {}, peers: [], suites: { plugin: suite } }
}

describe('--compare', () => {
  it('never fails for the stored report itself, after rounding', () => {
    fc.assert(
      fc.property(times, times, (ours, original) => {
        const report = reportOf(ours, original)
        const stored = readReportText(reportText(report), 'baseline.json')
        expect(compare(stored, report).map(({ verdict }) => verdict)).toEqual(['same'])
      }),
    )
  })

  it('never fails on a slower machine if all times grow by the same factor', () => {
    fc.assert(
      fc.property(times, times, fc.double({ min: 0.2, max: 5, noNaN: true }), (ours, original, factor) => {
        const slower = (all: readonly number[]): number[] => all.map((ms) => ms * factor)
        const rows = compare(reportOf(ours, original), reportOf(slower(ours), slower(original)))
        expect(rows.map(({ verdict }) => verdict)).toEqual(['same'])
      }),
    )
  })

  it('always fails for a 30 % slowdown if rounds differ by a few percent', () => {
    const steady = fc.array(fc.double({ min: 0.98, max: 1.02, noNaN: true }), { minLength: 20, maxLength: 40 })
    fc.assert(
      fc.property(steady, steady, fc.double({ min: 1, max: 100, noNaN: true }), (noise, later, ms) => {
        const original = noise.map(() => ms * 3)
        const before = reportOf(
          noise.map((one) => one * ms),
          original,
        )
        const after = reportOf(
          later.map((one) => one * ms * 1.3),
          original,
        )
        expect(compare(before, after).map(({ verdict }) => verdict)).toEqual(['worse'])
        expect(compare(after, before).map(({ verdict }) => verdict)).toEqual(['better'])
      }),
    )
  })
})
