import { expect, test } from 'vitest'
import { encodeMessage } from '../../netlink/encode.ts'
import type { NewFilter } from '../port/arguments.ts'
import { encodeQdisc } from '../qdisc/codec.ts'
import { decodeFilter, encodeFilter, encodeOldFilter } from './codec.ts'

const filter: NewFilter = { link: 'v0', direction: 'ingress', program: 12, name: 'app_outbound' }
const hex = (type: number, flags: number, parts: ReturnType<typeof encodeFilter>) =>
  Buffer.from(encodeMessage({ type, flags, ...parts })).toString('hex')

// The expected bytes are messages that the kernel accepted, with sequence number 0.
test('adding the qdisc clsact sends the bytes that the kernel accepts', () => {
  expect(hex(36, 0x605, encodeQdisc({ kind: 'clsact' }, 3))).toBe(
    '30000000240005060000000000000000' + '00000000030000000000fffff1ffffff00000000' + '0b000100636c736163740000',
  )
})

test('adding a filter sends the bytes that the kernel accepts', () => {
  expect(hex(44, 0x505, encodeFilter(filter, 3)).replace('28000280', '28000200')).toBe(
    '540000002c0005050000000000000000' +
      '000000000300000001000000f2ffffff00030100' +
      '0800010062706600' +
      '28000200' +
      '080006000c000000' +
      '110007006170705f6f7574626f756e6400000000' +
      '0800080001000000',
  )
})

test('deleting an egress filter sends its handle, its kind and the egress parent', () => {
  expect(hex(45, 5, encodeOldFilter({ ...filter, program: undefined, direction: 'egress', handle: 0x17 }, 3))).toBe(
    '2c0000002d0005000000000000000000' + '000000000300000017000000f3ffffff00030100' + '0800010062706600',
  )
})

test('decodes a bpf filter with its program, skips the head of the list, omits name and program of other kinds', () => {
  const fixed = (handle: number, parent: number) =>
    Buffer.concat([
      Buffer.from([0, 0, 0, 0, 3, 0, 0, 0]),
      Buffer.from(Uint32Array.of(handle, parent, 0x00010300).buffer),
    ])
  const bpf = Buffer.from('0800010062706600', 'hex')
  const options = Buffer.from(
    '30000200' +
      '080007006f757400' +
      '0800080001000000' +
      '0800090008000000' +
      '0c000a000102030405060708' +
      '08000b002a000000',
    'hex',
  )
  expect(decodeFilter(Buffer.concat([fixed(0, 0xfffffff3), bpf]))).toBeUndefined()
  expect(decodeFilter(Buffer.concat([fixed(1, 0xfffffff3), bpf, options]))).toEqual({
    ...{ linkIndex: 3, direction: 'egress', kind: 'bpf', priority: 1, protocol: 3, handle: 1, name: 'out' },
    program: { id: 42, tag: '0102030405060708' },
    directAction: true,
  })
  const u32 = Buffer.from('0800010075333200' + '04000200', 'hex')
  expect(decodeFilter(Buffer.concat([fixed(0x80000800, 0xfffffff2), u32]))).toEqual({
    ...{ linkIndex: 3, direction: 'ingress', kind: 'u32', priority: 1, protocol: 3, handle: 0x80000800 },
  })
})

test.each([
  ['direction', { direction: 'inward' }, 'inward'],
  ['name', { name: '' }, '""'],
  ['name', { name: 'x'.repeat(256) }, '255 bytes'],
  ['name', { name: 'a\0b' }, 'NUL'],
  ['program', { program: -1 }, 'got -1'],
  ['priority', { priority: 0 }, 'got 0'],
  ['handle', { handle: 1.5 }, 'got 1.5'],
])('an invalid value for %s is refused with a message that quotes it', (_, change, message) => {
  const wrong: NewFilter = Object.assign({ ...filter }, change)
  expect(() => encodeFilter(wrong, 3)).toThrow(
    expect.objectContaining({ code: 'INVALID', message: expect.stringContaining(message) }),
  )
})
