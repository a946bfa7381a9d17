import { decodeAttributes } from '@cni/netns/netlink'
import { expect, test } from 'vitest'
import { AttributeWriter, written } from './writer.ts'

const writes: Record<string, readonly [(writer: AttributeWriter) => void, string]> = {
  u8: [(writer) => writer.u8(7, 1), '0500070001000000'],
  u16: [(writer) => writer.u16(7, 0x102), '0600070001020000'],
  u32: [(writer) => writer.u32(7, -2), '08000700fffffffe'],
  u64: [(writer) => writer.u64(7, 1n), '0c0007000000000000000001'],
  bytes: [(writer) => writer.bytes(7, Uint8Array.of(1, 2, 3)), '0700070001020300'],
  'no bytes': [(writer) => writer.bytes(7, new Uint8Array(0)), '04000700'],
  text: [(writer) => writer.text(7, 'é'), '07000700c3a90000'],
  raw: [(writer) => writer.raw(Uint8Array.of(1, 2, 3, 4)), '01020304'],
  open: [(writer) => writer.close(writer.open(7)), '04000700'],
  begin: [(writer) => writer.end(writer.begin(0xa06, 0x801, 2)), '14000000060a0108000000000000000002000000'],
}

test.each(Object.entries(writes))(
  '%s is written correctly at the end of the buffer, over any old content',
  (_, [write, hex]) => {
    const room = 64
    for (let free = 0; free <= 24; free += 4) {
      const writer = new AttributeWriter(room)
      writer.take((each) => each.raw(new Uint8Array(room).fill(0xff)))
      const bytes = writer.take((each) => {
        each.raw(new Uint8Array(room - free))
        write(each)
      })
      expect(bytes.subarray(room - free).toString('hex')).toBe(hex)
    }
  },
)

test('the length of an attribute includes its nested attributes', () => {
  const bytes = written((writer) => {
    const at = writer.open(1)
    writer.text(2, 'a')
    writer.close(at)
    writer.close(writer.open(3))
  })
  expect(decodeAttributes(bytes).map(([type, value]) => [type, value.length])).toEqual([
    [1, 8],
    [3, 0],
  ])
})

test("after an error nothing of the function's output stays", () => {
  const failing = () =>
    written((writer) => {
      writer.u32(1, 1)
      throw new Error('no')
    })
  expect(failing).toThrow('no')
  expect(written((writer) => writer.u8(2, 2)).toString('hex')).toBe('0500020002000000')
})
