import { describe, expect, it } from 'vitest'
import { mergeBaseline } from './baseline.ts'
import { reportMarkdown } from './markdown.ts'
import { type Report, readReportText, reportText, type Suite } from './report.ts'
import { ratio, stats } from './statistics.ts'

const times = [1.23456, 2, 3, 4, 5]
const suite: Suite = {
  about: 'Any work',
  date: '2026-01-01T10:11:12.000Z',
  commit: 'a31511342e',
  load: 0.5,
  settings: { runs: 5 },
  measures: [
    {
      group: 'ADD',
      name: 'ours',
      quantity: 'ms',
      ...stats(times),
      ratios: [ratio('original', times, times) ?? fail()],
    },
    { group: 'ADD', name: 'original', quantity: 'ms', ...stats(times), ratios: [] },
    { group: 'heal', name: 'original', quantity: 'ms', ...stats([]), ratios: [] },
  ],
}
const report: Report = {
  format: 1,
  machine: { cpu: 'A Processor', cores: 2, kernel: '6.1' },
  versions: { node: '26' },
  peers: ['istio-cni'],
  suites: { plugin: suite },
}
const text = reportText(report)

function fail(): never {
  throw new Error('no ratio')
}

describe('the stored report', () => {
  it('is unchanged after writing and reading, except for rounding to four digits', () => {
    const read = readReportText(text, 'x')
    expect(read.suites.plugin?.measures[0]).toMatchObject({ median: 3, min: 1.235 })
    expect(read.suites.plugin?.measures[2]).toMatchObject({ runs: 0, median: Number.NaN })
    expect(reportText(read)).toBe(text)
  })

  it('may have suites without a commit, as in older reports', () => {
    const { commit: _, ...older } = suite
    expect(readReportText(reportText({ ...report, suites: { plugin: older } }), 'x').suites.plugin).toMatchObject({
      date: suite.date,
    })
  })

  it('has one line for each measure', () => {
    expect(text.split('\n').filter((line) => line.includes('"quantity"'))).toHaveLength(3)
  })

  it.each([
    ['no JSON', '{', 'baseline.json cannot be read: '],
    ['another file', '{}', 'baseline.json is no report of npm run bench: format'],
    ['a measure without numbers', text.replace('"median":3', '"median":"3"'), 'suites.plugin.measures.0.median'],
  ])('is rejected with a message: %s', (_, wrong, said) => {
    expect(() => readReportText(wrong, 'baseline.json')).toThrow(said)
  })
})

describe('the report for people', () => {
  it('contains machine, versions, settings, ratios, and measures that never happened', () => {
    const page = reportMarkdown(report)
    expect(page).toContain('2 × A Processor, Linux 6.1\nnode 26\nOriginals raced: istio-cni.')
    expect(page).toContain('Any work. runs 5; 2026-01-01 10:11 UTC, commit a31511342e, load 0.5.')
    expect(page).toContain('| ADD | ours | 3.00 | 1.23 – 5.00 | 1.00 × original |')
    expect(page).toContain('| heal | original | never |')
  })

  it('has a column of instructions if a suite counts them', () => {
    const [one = fail()] = suite.measures
    const counted = { ...one, quantity: '1000 instructions', median: 461.2, ratios: [] }
    const page = reportMarkdown({ ...report, suites: { instructions: { ...suite, measures: [one, counted] } } })
    expect(page).toContain('|  |  | median | min – max | 1000 instructions | ratio |\n|---|---|---|---|---|---|\n')
    expect(page).toContain('| ADD | ours | 3.00 | 1.23 – 5.00 | 461 | 1.00 × original |')
  })

  it('has processor time beside the time of the same work, else in its own line', () => {
    const [one = fail()] = suite.measures
    const cpu = { ...one, quantity: 'CPU ms', ratios: [] }
    const measures = [one, cpu, { ...cpu, group: 'a pod' }]
    const page = reportMarkdown({ ...report, suites: { agent: { ...suite, measures } } })
    expect(page).toContain('| ADD | ours | 3.00 | 1.23 – 5.00 | 3.00 | 1.00 × original |')
    expect(page).toContain('| a pod | ours, CPU ms | 3.00 | 1.23 – 5.00 |  |  |')
    expect(page).not.toContain('| ADD | ours, CPU ms')
  })

  it('explains how to measure the originals if they are missing', () => {
    expect(reportMarkdown({ ...report, peers: [] })).toContain('No originals found')
  })
})

describe('storing a part of the suites', () => {
  const all = ['plugin', 'agent']
  const stored: Report = { ...report, suites: { plugin: { ...suite, about: 'old' }, agent: suite } }

  it('keeps the other suites, in the usual order', () => {
    const merged = mergeBaseline(stored, report, all)
    expect(Object.entries(merged.suites).map(([name, { about }]) => [name, about])).toEqual([
      ['plugin', 'Any work'],
      ['agent', 'Any work'],
    ])
  })

  it('needs the originals only for a suite that measured them', () => {
    const now = { ...report, peers: [], suites: { agent: suite } }
    const before = { ...stored, suites: { ...stored.suites, agent: { ...suite, measures: [] } } }
    expect(mergeBaseline(before, now, all)).toMatchObject({ peers: ['istio-cni'], suites: { agent: suite } })
  })

  it.each([
    ['there is no baseline', undefined, report, 'run all suites (missing: agent)'],
    ['another machine', stored, { ...report, machine: { ...report.machine, cores: 8 } }, 'of another machine'],
    ['originals are missing now', stored, { ...report, peers: [] }, 'not found now: istio-cni'],
  ])('is rejected if figures do not belong together: %s', (_, before, now, said) => {
    expect(() => mergeBaseline(before, now, all)).toThrow(said)
  })

  it('accepts a report of all suites, whatever was stored', () => {
    const whole = { ...report, peers: [], suites: { plugin: suite, agent: suite } }
    expect(mergeBaseline(stored, whole, all)).toBe(whole)
  })
})
