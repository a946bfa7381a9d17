import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { benchOptions, HELP, SUITES, suiteArguments, UsageError } from './options.ts'
import { findPeers } from './peers.ts'
import { compareText } from './report/compare-text.ts'

describe('the options of npm run bench', () => {
  it('select all suites by default', () => {
    expect(benchOptions([])).toMatchObject({
      suites: Object.keys(SUITES),
      compare: undefined,
      save: false,
      numbers: {},
    })
  })

  it.each([
    ['one suite', ['--suite', 'plugin'], { suites: ['plugin'] }],
    ['two suites, in the usual order', ['--suite=agent,plugin'], { suites: ['plugin', 'agent'] }],
    ['the stored baseline', ['--compare'], { compare: 'bench/baseline.json' }],
    ['the same before another option', ['--compare', '--runs', '5'], { compare: 'bench/baseline.json' }],
    ['a file', ['--compare', 'x.json'], { compare: 'x.json' }],
    ['no installing', ['--no-install'], { install: false }],
  ])('accept %s', (_, argv, expected) => {
    expect(benchOptions(argv)).toMatchObject(expected)
  })

  it.each([
    ['an unknown suite', ['--suite', 'plugins'], 'got "plugins"'],
    ['no number', ['--runs', '0'], '--runs: expected a positive integer, got "0"'],
    ['a number with more', ['--pods', '5x'], '--pods: expected a positive integer, got "5x"'],
    ['an unknown option', ['--run', '5'], "Unknown option '--run'"],
    ['a word too many', ['plugin'], 'plugin'],
  ])('reject %s', (_, argv, said) => {
    expect(() => benchOptions(argv)).toThrow(UsageError)
    expect(() => benchOptions(argv)).toThrow(said)
  })

  it('are passed only to suites that know them', () => {
    const { numbers } = benchOptions(['--runs', '5', '--heals', '3'])
    expect(suiteArguments('plugin', numbers)).toEqual(['--runs=5'])
    expect(suiteArguments('agent', numbers)).toEqual(['--runs=5', '--heals=3'])
  })

  it('are in the help, and so is every suite', () => {
    for (const word of ['--suite', '--compare', '--save', '--peers', ...Object.keys(SUITES)])
      expect(HELP).toContain(word)
  })
})

describe('the originals', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-bench-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const [own, other, empty] = ['own', 'other', 'empty'].map((name) => join(folder, name)) as [string, string, string]
  const bins = join(own, 'node_modules/.bin')
  for (const place of [bins, other, empty]) mkdirSync(place, { recursive: true })
  for (const place of [own, bins, other]) writeFileSync(join(place, 'cnitool'), '')

  it('are in the given folder, else in the first folder of PATH that has one outside this repository', () => {
    const path = [empty, own, bins, other].join(':')
    expect(findPeers('/named', path, own)).toBe('/named')
    expect(findPeers(undefined, path, own)).toBe(other)
    expect(findPeers(undefined, path, `${own}/`)).toBe(other)
    expect(findPeers('', empty, own)).toBeUndefined()
  })
})

describe('the table of --compare', () => {
  const row = { suite: 'plugin', group: 'ADD', name: 'ours', quantity: 'ms' }

  it('ends with the worse measures and their number', () => {
    const before = { to: 'original', value: 0.3, low: 0.29, high: 0.31 }
    const text = compareText([
      { ...row, verdict: 'worse', before, after: { to: 'original', value: 0.45, low: 0.44, high: 0.46 } },
      { ...row, group: 'DEL', verdict: 'same', before, after: before },
      { ...row, group: 'GC', verdict: 'new' },
    ])
    expect(text).toBe(`same   plugin: DEL  ours, ms  0.30 [0.29–0.31] → 0.30 [0.29–0.31] × original (+0 %)
new    plugin: GC   ours, ms  no reference in both reports
worse  plugin: ADD  ours, ms  0.30 [0.29–0.31] → 0.45 [0.44–0.46] × original (+50 %)

1 worse, 1 new, 1 same
`)
  })
})
