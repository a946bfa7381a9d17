import { expect, test } from 'vitest'
import { committedBy, generationIn } from './generation-message.ts'

/** NFT_MSG_NEWGEN as a 6.x kernel sends it: generation 7, then process and name. */
const message = Buffer.from(
  `2c0000000f0a000001000000e803000000000000${'0800010000000007'}${'08000200000004d2'}${'07000300736800' + '00'}`,
  'hex',
)

test('the generation is read out of the kernel’s message', () => {
  expect(generationIn(message)).toBe(7)
})

test('so is the process that made it', () => {
  expect(committedBy(message)).toBe(1234)
})

test.for<[string, Buffer]>([
  ['an error', Buffer.from('2400000002000000010000000000000000000000ffffffff', 'hex')],
  ['a message that is cut', message.subarray(0, 24)],
  ['a message without attributes', message.subarray(0, 20)],
  ['an attribute without a size', Buffer.concat([message.subarray(0, 20), Buffer.alloc(8)])],
  ['nothing', Buffer.alloc(0)],
])('%s has none', ([, bytes]) => {
  expect([generationIn(bytes), committedBy(bytes)]).toEqual([undefined, undefined])
})
