import { describe, expect, test } from 'vitest'
import { boolFlag, choiceFlag, listFlag, secondsFlag, textFlag } from './flag.ts'
import { flagsText } from './help-text.ts'
import { parseFlags } from './parse-flags.ts'
import { isUsageError } from './usage-error.ts'

const flags = {
  json: boolFlag({ name: 'json', short: 'j', help: 'for programs' }),
  out: textFlag({ name: 'out', short: 'o', value: 'FILE', help: 'where to write' }),
  mode: choiceFlag({ name: 'mode', of: ['fast', 'slow'], fallback: 'fast', help: 'how' }),
  only: listFlag({ name: 'only', value: 'ID', help: 'which' }),
  timeout: secondsFlag({ name: 'timeout', mostSeconds: 60, help: 'how long' }),
}

test.each([
  [['--json'], { json: true }, []],
  [['--json=false'], { json: false }, []],
  [['-jo', 'x'], { json: true, out: 'x' }, []],
  [['-ox'], { out: 'x' }, []],
  [['-o=x'], { out: 'x' }, []],
  [['--out', '--json'], { out: '--json' }, []],
  [['a', '--out=b', 'c'], { out: 'b' }, ['a', 'c']],
  [['--', '--json'], {}, ['--json']],
  [['--only', 'a,b', '--only=c'], { only: ['a', 'b', 'c'] }, []],
  [['--out', 'a', '--out', 'b'], { out: 'b' }, []],
  [['--timeout', '0.25'], { timeout: 250 }, []],
  [['--timeout=60'], { timeout: 60_000 }, []],
])('%j is parsed', (argv, given, positionals) => {
  const values = { json: false, out: '', mode: 'fast', only: [], ...given }
  expect(parseFlags(argv, flags)).toEqual({ given, values, positionals, help: false })
})

test.each([['--help'], ['-h'], ['-jh']])('%s requests help', (arg) => {
  expect(parseFlags([arg], flags).help).toBe(true)
})

describe('an invalid command line', () => {
  test.each([
    [['--jsno'], 'unknown flag --jsno, did you mean --json?'],
    [['-x'], 'unknown flag -x in "-x"'],
    [['--out'], 'flag --out needs a value'],
    [['--mode', 'medium'], 'flag --mode has the value "medium": expected fast or slow'],
    [['--json=perhaps'], 'flag --json has the value "perhaps": expected true or false'],
    ...['0', '-1', '60.1', ' ', 'soon', 'NaN'].map((text): [string[], string] => [
      ['--timeout', text],
      `flag --timeout has the value ${JSON.stringify(text)}: expected seconds, more than 0 and at most 60`,
    ]),
  ])('%j: %s', (argv, message) => {
    expect(() => parseFlags(argv, flags)).toThrow(message)
  })

  test('throws a UsageError, which is recognised across bundles', () => {
    expect.assertions(2)
    try {
      parseFlags(['--nope'], flags)
    } catch (error) {
      expect(isUsageError(error)).toBe(true)
    }
    expect(isUsageError(new Error('else'))).toBe(false)
  })

  test('repeats a flag that may be given only once', () => {
    expect(() => parseFlags(['--out=a', '--out=b'], flags, { once: true })).toThrow('flag --out is given twice')
    expect(parseFlags(['--only=a', '--only=b'], flags, { once: true }).given).toEqual({ only: ['a', 'b'] })
  })

  test('is quoted on one line, with all characters visible', () => {
    expect(() => parseFlags(['--mode', 'a\n\u202eb'], flags)).toThrow('"a\\n\\u202eb"')
  })
})

test('missing values are the defaults', () => {
  expect(parseFlags(['--out=x'], flags).values).toEqual({ json: false, out: 'x', mode: 'fast', only: [] })
})

test('the help lists each flag with its value and default', () => {
  const text = flagsText(flags)
  expect(text).toContain('  -j, --json\n          for programs\n')
  expect(text).toContain('      --mode fast|slow\n          how (default fast)\n')
})
