import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLogBody, toUtc } from './log-entries.ts'

const line = (more: object) => JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05Z', msg: 'x', ...more })

test('other members become labels: scalars unchanged, other values as JSON', () => {
  const [entry] = parseLogBody(JSON.stringify([line({ bar: 2, ok: true, list: [1], none: null })]))?.entries ?? []
  expect(entry?.labels).toEqual({ bar: 2, ok: true, list: '[1]', none: 'null' })
})

test.each([{ level: 'INFO' }, { level: 3 }, { time: 5 }, { time: 'yesterday' }, { msg: null }])(
  'a line with %j is dropped, and the other lines are kept',
  (more) => {
    const parsed = parseLogBody(JSON.stringify([line(more), line({})]))
    expect([parsed?.entries.length, parsed?.refused.length]).toEqual([1, 1])
  },
)

test('a line nested more deeply than 32 levels is refused, and the other lines are printed', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)},${line({}).slice(1)}`
  const parsed = parseLogBody(JSON.stringify([nested(31), nested(33), nested(44_000), line({ msg: 'flat' })]))
  expect(parsed?.entries.map(({ msg }) => msg)).toEqual(['x', 'flat'])
  expect(parsed?.refused).toEqual(['depth', 'depth'])
})

test.each(['', 'null', '{}', '[1]', '["{}",null]', '"x"'])(
  'the body %j is rejected: it is not an array of strings',
  (body) => {
    expect(parseLogBody(body)).toBeUndefined()
  },
)

test('any body is parsed without an error', () => {
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(fc.json()).map((all) => JSON.stringify(all)),
  )
  for (const one of fc.sample(body, 500)) parseLogBody(one)
})

describe('an RFC 3339 time', () => {
  test.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000000Z'],
    ['2026-01-02T03:04:05.123456789+01:00', '2026-01-02T02:04:05.123456Z'],
    ['2026-01-02T03:04:05.9999999Z', '2026-01-02T03:04:05.999999Z'],
    ['2026-01-02t03:04:05.5z', '2026-01-02T03:04:05.500000Z'],
  ])('%s becomes %s', (time, utc) => {
    expect(toUtc(time)).toBe(utc)
  })
  test.each(['2026-13-02T03:04:05Z', '2026-01-02 03:04:05Z', '2026-01-02T03:04:05', ''])('%j is invalid', (time) => {
    expect(toUtc(time)).toBeUndefined()
  })
})
