import { expect, test } from 'vitest'
import { readBe16, readBe32, readBe64, readCString, readU16, readU32 } from './values.ts'

const bytes = Buffer.from('0102030405060708', 'hex')

test.each([
  [readU16, 0x0201],
  [readU32, 0x04030201],
  [readBe16, 0x0102],
  [readBe32, 0x01020304],
  [readBe64, 0x0102030405060708n],
])('%o is read as a value only if it is long enough', (read, value) => {
  expect(read(bytes)).toBe(value)
  expect(read(Buffer.of(1))).toBeUndefined()
  expect(read(undefined)).toBeUndefined()
})

test.each([
  ['6c6f00', 'lo'],
  ['6c6f', 'lo'],
  ['6c6f00ff00', 'lo'],
  ['', ''],
])('text %s is read as %j', (hex, text) => {
  expect(readCString(Buffer.from(hex, 'hex'))).toBe(text)
  expect(readCString(undefined)).toBeUndefined()
})
