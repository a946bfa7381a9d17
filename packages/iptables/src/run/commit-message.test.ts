import { decodeMessages, type Message } from '@cni/netns/netlink'
import { expect, test } from 'vitest'
import { committedBy } from './commit-message.ts'

const messageOf = (hex: string): Message => {
  const [message] = decodeMessages(Buffer.from(hex, 'hex'))
  if (message === undefined) throw new Error('no message')
  return message
}

/** NFT_MSG_NEWGEN of a 6.x kernel: generation, process and name. */
const message = messageOf(
  `2c0000000f0a000001000000e803000000000000${'0800010000000007'}${'08000200000004d2'}${'07000300736800' + '00'}`,
)

test('returns the process that made the transaction', () => {
  expect(committedBy(message)).toBe(1234)
})

test.for<[string, Message]>([
  ['another message', messageOf('24000000020000000100000000000000ffffffff00000000000000000000000000000000')],
  ['a message without attributes', { ...message, body: message.body.subarray(0, 4) }],
  ['a message with a short value', messageOf('1c0000000f0a00000000000000000000000000000600020007000000')],
])('%s names no process', ([, other]) => {
  expect(committedBy(other)).toBeUndefined()
})
