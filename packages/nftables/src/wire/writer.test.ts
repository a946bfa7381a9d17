import { decodeAttributes } from '@cni/netns/netlink'
import { expect, test } from 'vitest'
import { AttributeWriter, written } from './writer.ts'

const writes: Record<string, readonly [(writer: AttributeWriter) => void, string]> = {
  u8: [(writer) => writer.u8(1), '01'],
  u16: [(writer) => writer.u16(0x102), '0102'],
  u32: [(writer) => writer.u32(-2), 'fffffffe'],
  u64: [(writer) => writer.u64(1n), '0000000000000001'],
  raw: [(writer) => writer.raw(Uint8Array.of(1, 2, 3)), '010203'],
  text: [(writer) => writer.text('é'), 'c3a900'],
  open: [(writer) => writer.close(writer.open(7)), '04000700'],
}

test.each(Object.entries(writes))('%s is written wherever the room ends', (_, [write, hex]) => {
  for (let room = 0; room < 12; room++) {
    const size = 16_384 - room
    const bytes = new AttributeWriter().take((writer) => {
      writer.raw(new Uint8Array(size))
      write(writer)
    })
    expect(bytes.subarray(size).toString('hex')).toBe(hex)
  }
})

test('attributes are padded with zeros, also where something else was', () => {
  written((writer) => writer.raw(new Uint8Array(64).fill(0xff)))
  const bytes = written((writer) => {
    const at = writer.open(1)
    writer.text('a')
    writer.close(at)
    writer.close(writer.open(2))
  })
  expect(bytes.toString('hex')).toBe('060001006100000004000200')
  expect(decodeAttributes(bytes).map(([type, value]) => [type, value.length])).toEqual([
    [1, 2],
    [2, 0],
  ])
})

test('what a function that throws has written is gone', () => {
  const failing = () =>
    written((writer) => {
      writer.u32(1)
      throw new Error('no')
    })
  expect(failing).toThrow('no')
  expect(written((writer) => writer.u8(2)).toString('hex')).toBe('02')
})
