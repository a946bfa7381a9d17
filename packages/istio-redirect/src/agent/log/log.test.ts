import { describe, expect, test } from 'vitest'
import { agentLog } from './agent-log.ts'
import { formatLine, type LogForm } from './format.ts'
import { type LogSettings, levelOf, parseLevels } from './levels.ts'
import { formFor } from './writers.ts'

const line = (form: LogForm, msg = 'hello', labels: Record<string, string | number> = {}, scope = 'cni-agent') =>
  formatLine({ level: 'info', time: '2026-01-02T03:04:05.678901Z', scope, msg, labels }, form)

describe('a line', () => {
  test('as text has tab-separated columns, without a column for the default scope', () => {
    expect(line('text', 'hello', { a: 1, b: 'c' })).toBe(
      '2026-01-02T03:04:05.678901Z\tinfo\tcni-agent\thello\ta=1 b=c\n',
    )
    expect(line('text', 'hello', {}, 'default')).toBe('2026-01-02T03:04:05.678901Z\tinfo\thello\n')
  })
  test('as JSON has its members in a fixed order, and labels cannot replace them', () => {
    expect(line('json', 'hello', { a: 1, level: 'fatal', time: 0 })).toBe(
      '{"level":"info","time":"2026-01-02T03:04:05.678901Z","scope":"cni-agent","msg":"hello","a":1}\n',
    )
  })
  test('at a terminal has colours and a short time, as the only form', () => {
    expect(line('terminal')).toContain('\u001b[36mINFO \u001b[0m hello')
    expect(line('text') + line('json')).not.toContain('\u001b')
  })
  test.each(['text', 'terminal', 'json'] as const)('as %s cannot be forged or broken by control characters', (form) => {
    const text = 'a\nb\tc\u001b[2J\u007f\u0085\u009b2J\u2028\u2029\u200e\u200f\u061c\u202a\u202ed\u2066\u2069\u{e0061}'
    const hostile = line(form, text, { 'k\n=x\u009b\u202e': `v\r\n ${text}` })
    const ours = form === 'text' ? /\t/g : /\p{Cc}\[\d+m/gu
    expect(hostile.slice(0, -1).replace(ours, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    if (form === 'json') expect(JSON.parse(hostile)).toMatchObject({ msg: text, 'k\n=x\u009b\u202e': `v\r\n ${text}` })
  })
})

test.each<[LogSettings['json'], boolean, boolean, LogForm]>([
  ['unless-terminal', false, false, 'json'],
  ['unless-terminal', true, false, 'terminal'],
  ['unless-terminal', true, true, 'text'],
  [true, true, false, 'json'],
  [false, false, false, 'text'],
  [false, true, false, 'terminal'],
])('with JSON set to %s, at a terminal: %s, without colours: %s, lines are %s', (json, isTerminal, noColour, form) => {
  expect(formFor(json, isTerminal, noColour)).toBe(form)
})

describe('log_output_level', () => {
  test.each([
    ['debug', 'cni-agent', 'info'],
    ['debug', 'default', 'debug'],
    ['cni-agent:debug', 'cni-plugin', 'debug'],
    ['cni-agent:debug,cni-plugin:error', 'cni-plugin', 'error'],
    ['cni-plugin:debug', 'cni-agent', 'info'],
    ['all:warn,cni-agent:debug', 'cni-agent', 'warn'],
    ['default:info', 'cni-plugin', 'info'],
  ])('%j gives the scope %s the level %s', (text, scope, level) => {
    const { levels, problems } = parseLevels(text)
    expect([levelOf(levels, scope), problems]).toEqual([level, []])
  })
  test.each(['verbose', 'cni-agent:loud', 'nowhere:info'])('%j is skipped and reported as a problem', (text) => {
    expect(parseLevels(text)).toEqual({ levels: {}, problems: [expect.stringContaining('log ')] })
  })
})

test('the log prints the lines that its levels permit, and follows a change of levels', () => {
  const lines: string[] = []
  const log = agentLog(
    () => ({ write: (entry) => lines.push(formatLine(entry, 'text')) }),
    () => new Date(0),
  )
  log.scope('cni-agent').debug('not yet')
  log.configure({ levels: { 'cni-agent': 'debug' }, json: false, targets: ['stdout'] })
  log.scope('cni-agent').debug('now')
  log.configure({ levels: { all: 'none' }, json: false, targets: ['stdout'] })
  log.scope('cni-agent').error('no more')
  expect(lines).toEqual(['1970-01-01T00:00:00.000000Z\tdebug\tcni-agent\tnow\n'])
})
