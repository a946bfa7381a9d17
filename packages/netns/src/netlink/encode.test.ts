import { expect, test } from 'vitest'
import { NLA_F_NESTED } from './constants.ts'
import { type Attribute, encodeAttributes, encodeMessage } from './encode.ts'
import { be16, be32, be64, cString, u16, u32 } from './values.ts'
import { MessageWriter } from './writer.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

// Rule with a counter and a comment, encoded in two ways: as data and by the writer.
const attributes: Attribute[] = [
  [1, cString('nat')],
  [4, [[1, [[1, cString('counter')]]]]],
  [9, be32(7)],
  [7, Uint8Array.of(1, 2, 3, 4, 5)],
]
const bytes =
  '44000000060a010c0000000000000000' +
  '02000000' +
  '08000100' +
  '6e617400' +
  '1400048010000180' +
  '0c000100636f756e74657200' +
  '0800090000000007' +
  '09000700' +
  '0102030405000000'

test('a message has a header, a fixed part and attributes, aligned to four; lengths exclude the padding', () => {
  const fixed = Uint8Array.of(2, 0, 0, 0)
  expect(hex(encodeMessage({ type: 0x0a06, flags: 0x0c01, fixed, attributes }))).toBe(bytes)
})

test('the writer produces the same bytes', () => {
  const writer = new MessageWriter(1)
  writer.begin(0x0a06, 0x0c01, Uint8Array.of(2, 0, 0, 0)).string(1, 'nat')
  writer.nest(4).nest(1).string(1, 'counter').end().end()
  writer
    .be32(9, 7)
    .bytes(7, Uint8Array.of(1, 2, 3, 4, 5))
    .end()
  expect(writer.length).toBe(bytes.length / 2)
  expect(hex(writer.take())).toBe(bytes)
  writer
    .begin(0x0a06, 0x0c01, Uint8Array.of(2, 0, 0, 0))
    .attributes(attributes)
    .end()
  expect(hex(writer.take())).toBe(bytes)
})

test('the messages of a writer follow each other, and take empties the writer', () => {
  const writer = new MessageWriter()
  writer.begin(0x10, 1, Uint8Array.of(9)).end().begin(0x11, 5).u32(3, 0x01020304).end()
  const header = (length: string, type: string, flags: string) => `${length}000000${type}00${flags}000000000000000000`
  expect(hex(writer.take())).toBe(`${header('14', '10', '01')}09000000${header('18', '11', '05')}0800030004030201`)
  expect(writer.length).toBe(0)
  expect(hex(writer.take())).toBe('')
})

test('attributes that are already encoded can be nested', () => {
  const once = encodeAttributes([[1, cString('counter')]])
  const list: Attribute[] = [[4, [[1, [[1, cString('counter')]]]]]]
  expect(hex(encodeAttributes([[4, [[1 | NLA_F_NESTED, once]]]]))).toBe(hex(encodeAttributes(list)))
  expect(hex(encodeAttributes([[1, u16(5)]], Uint8Array.of(7)))).toBe('070000000600010005000000')
})

test.each([
  [u16(0xfffe), 'feff'],
  [u32(0x80000001), '01000080'],
  [be16(0x0102), '0102'],
  [be32(-3), 'fffffffd'],
  [be64(0x0102030405060708n), '0102030405060708'],
  [cString('lo'), '6c6f00'],
  [cString('ü'), 'c3bc00'],
])('value %#: %o is encoded as %s', (value, expected) => {
  expect(hex(value)).toBe(expected)
})

test('text with a NUL is refused: the kernel would read a shorter name', () => {
  expect(() => cString('a\0b')).toThrow(
    expect.objectContaining({ code: 'INVALID', message: 'Invalid text: "a\\u0000b" contains a NUL' }),
  )
  expect(() => new MessageWriter().begin(1, 1).string(1, '\0')).toThrow(expect.objectContaining({ code: 'INVALID' }))
})

test.each<[string, () => unknown]>([
  ['data', () => encodeAttributes([[1, new Uint8Array(65532)]])],
  [
    'nested data',
    () =>
      encodeAttributes([
        [
          1,
          [
            [2, new Uint8Array(40_000)],
            [2, new Uint8Array(30_000)],
          ],
        ],
      ]),
  ],
  ['a writer', () => new MessageWriter().begin(1, 1).bytes(1, new Uint8Array(65532))],
  [
    'a writer that nests',
    () => {
      const writer = new MessageWriter().begin(1, 1).nest(4)
      for (let i = 0; i < 70; i++) writer.bytes(1, new Uint8Array(1000))
      return writer.end()
    },
  ],
])('an attribute of more than 64 KiB is refused, not truncated (%s)', (_, write) => {
  expect(write).toThrow(expect.objectContaining({ code: 'INVALID', message: expect.stringContaining('at most 65535') }))
})

test('an attribute of the largest length is accepted', () => {
  const encoded = encodeAttributes([[1, new Uint8Array(65531)]])
  expect([encoded.length, hex(encoded.subarray(0, 4))]).toEqual([65536, 'ffff0100'])
})

test.each<[string, (writer: MessageWriter) => unknown]>([
  ['begins a message within another', (writer) => writer.begin(1, 1).begin(1, 1)],
  ['ends without an open message', (writer) => writer.end()],
  ['takes an open message', (writer) => writer.begin(1, 1).take()],
])('the writer throws if the caller %s', (_, misuse) => {
  expect(() => misuse(new MessageWriter())).toThrow('Bug')
})
