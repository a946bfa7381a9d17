import fc from 'fast-check'
import { expect, test } from 'vitest'
import { itemSplitter } from './item-splitter.ts'

function split(bytes: Uint8Array, cuts: readonly number[] = [], maxItemBytes = 1000) {
  const items: unknown[] = []
  const tooLong: number[] = []
  const splitter = itemSplitter({
    maxItemBytes,
    onItem: (text) => items.push(JSON.parse(text)),
    onTooLong: (size) => tooLong.push(size),
  })
  let at = 0
  for (const cut of [...cuts, bytes.length]) {
    const chunk = Uint8Array.from(bytes.subarray(at, at + cut))
    splitter.take(chunk)
    chunk.fill(0)
    at += cut
  }
  return { items, tooLong, rest: splitter.end() }
}

const strings = fc.oneof(fc.string(), fc.constantFrom('\\', '"', '\\"', '[', '"items":[', ',', '\\\\"}'))
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    strings,
    fc.integer(),
    fc.constantFrom(null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(strings, tie('value'), { maxKeys: 3 }),
  ),
})).value

test('the items are the same for any chunks and white space', () => {
  const property = fc.property(
    fc.array(values, { maxLength: 4 }),
    values,
    fc.array(fc.integer({ min: 1, max: 5 })),
    fc.constantFrom(undefined, 2),
    fc.boolean(),
    (items, metadata, cuts, indent, isLast) => {
      const list = isLast ? { kind: 'L', metadata, items } : { items, other: [1, 2], metadata }
      const found = split(Buffer.from(JSON.stringify(list, null, indent)), cuts, 100_000)
      expect(found.items).toEqual(JSON.parse(JSON.stringify(items)))
      expect(JSON.parse(found.rest)).toEqual(JSON.parse(JSON.stringify({ ...list, items: [] })))
    },
  )
  fc.assert(property, { numRuns: 500 })
})

test('an item that is too long is skipped, and the next ones are passed', () => {
  const items = [{ a: 1 }, { a: 'x'.repeat(2000) }, { a: 3 }]
  const found = split(Buffer.from(JSON.stringify({ items, metadata: {} })), [700, 700])
  expect(found).toEqual({ items: [{ a: 1 }, { a: 3 }], tooLong: [2008], rest: '{"items":[],"metadata":{}}' })
})

test('nothing of an endless document without items is kept', () => {
  expect(split(Buffer.alloc(70_000, ' '))).toEqual({ items: [], tooLong: [], rest: '' })
  const splitter = itemSplitter({ maxItemBytes: 10, onItem() {}, onTooLong() {} })
  splitter.take(Buffer.alloc(65_536, ' '))
  expect(splitter.isNoList()).toBe(false)
  splitter.take(Buffer.alloc(1, ' '))
  expect(splitter.isNoList()).toBe(true)
})
