import { describe, expect, it } from 'vitest'
import type { Contender } from './contender.ts'
import { peakMB } from './peak-memory.ts'
import { race } from './race.ts'
import { SuiteReport } from './suite.ts'

describe('a race', () => {
  const contender = (name: string, said: string[], fails = false): Contender => ({
    name,
    async prepare() {
      said.push(`${name} prepared`)
      return {
        async run() {
          said.push(name)
          if (fails) throw new Error('no luck')
        },
        cleanUp: () => void said.push(`${name} cleaned`),
      }
    },
  })

  it('takes contenders in turn, prepares and cleans up each, and does not count the first round', async () => {
    const said: string[] = []
    const samples = await race([contender('a', said), contender('b', said)], 2)
    const round = ['a prepared', 'a', 'a cleaned', 'b prepared', 'b', 'b cleaned']
    expect(said).toEqual([...round, ...round, ...round])
    expect([...samples].map(([name, all]) => [name, all.length])).toEqual([
      ['a', 2],
      ['b', 2],
    ])
  })

  it('stops at the first failure, after cleanup', async () => {
    const said: string[] = []
    await expect(race([contender('a', said, true), contender('b', said)], 2)).rejects.toThrow('no luck')
    expect(said).toEqual(['a prepared', 'a', 'a cleaned'])
  })
})

describe('a suite', () => {
  it('compares our contenders with every reference, in order, and references with nothing', () => {
    const suite = new SuiteReport('any', {})
    suite.add('ADD', 'ms', [
      { name: 'ours', samples: [1, 1, 1, 1, 1] },
      { name: 'original', samples: [4, 4, 4, 4, 4], reference: true },
      { name: 'bare runtime', samples: [0.5], reference: true },
    ])
    expect(suite.measures.map(({ name, ratios }) => [name, ratios])).toEqual([
      [
        'ours',
        [
          { to: 'original', value: 0.25, low: 0.25, high: 0.25 },
          { to: 'bare runtime', value: 2 },
        ],
      ],
      ['original', []],
      ['bare runtime', []],
    ])
  })

  it('has no ratio to a reference that never happened', () => {
    const suite = new SuiteReport('any', {})
    const row = (samples: number[]) => [{ group: 'heal', quantity: 'ms', samples }]
    suite.addRows([
      { name: 'ours', reference: false, rows: row([1]) },
      { name: 'original', reference: true, rows: row([]) },
    ])
    expect(suite.measures).toMatchObject([
      { name: 'ours', runs: 1, ratios: [] },
      { name: 'original', runs: 0 },
    ])
  })
})

describe('peak memory', () => {
  it('measures the program, not the runtime that starts it', async () => {
    expect(await peakMB({ argv: ['/bin/true'] })).toBeLessThan(15)
  })

  it('fails for a program that fails', async () => {
    await expect(peakMB({ argv: ['/bin/false'] })).rejects.toThrow('exit code 1')
  })
})
