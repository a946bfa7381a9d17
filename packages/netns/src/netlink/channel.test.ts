import { beforeEach, describe, expect, test } from 'vitest'
import { NetnsError } from '../handle/netns-error.ts'
import { SysError } from '../sys/sys.ts'
import { type Channel, channelFrom } from './channel.ts'
import { NLM_F_ACK, NLM_F_CAPPED, NLM_F_DUMP_INTR, NLMSG_DONE, NLMSG_ERROR } from './constants.ts'
import { decodeMessages } from './decode.ts'
import { type Attribute, encodeAttributes, encodeMessage } from './encode.ts'
import { isNetlinkError } from './netlink-error.ts'
import type { NetlinkSocket } from './socket.ts'
import { cString, u32 } from './values.ts'
import { MessageWriter } from './writer.ts'

type Built = (sequence: number) => Buffer | 'lost'

// Fake kernel: answers each datagram with the next list of datagrams.
let answers: Built[][]
let waiting: (Buffer | 'lost')[]
let sent: Buffer[]
let channel: Channel
let closed: number

const kernel: NetlinkSocket = {
  fd: 7,
  send(datagram) {
    sent.push(Buffer.from(datagram))
    const sequence = sent.at(-1)?.readUInt32LE(8) ?? 0
    waiting.push(...(answers.shift() ?? []).map((build) => build(sequence)))
  },
  receive: () => waiting.shift() ?? 'none',
  close: () => void closed++,
  leave: () => void closed++,
  [Symbol.dispose]: () => {},
}

const message =
  (type: number, flags: number, fixed: Uint8Array, attributes: Attribute[] = [], offset = 0): Built =>
  (sequence) => {
    const bytes = encodeMessage({ type, flags, fixed, attributes })
    bytes.writeUInt32LE(sequence + offset, 8)
    bytes.writeUInt32LE(4711, 12)
    return bytes
  }
const item = (value: number, flags = 2) => message(16, flags, u32(value))
const done = (flags = 2, errno = 0, attributes: Attribute[] = []) => message(NLMSG_DONE, flags, u32(-errno), attributes)
const echo = (errno: number, length = 16) => Buffer.concat([u32(-errno), u32(length), new Uint8Array(length - 4)])
const ack = (errno = 0, offset = 0) => message(NLMSG_ERROR, NLM_F_CAPPED, echo(errno), [], offset)
const lost: Built = () => 'lost'
const after =
  (sequence: number, build: Built): Built =>
  () =>
    build(sequence)
const request = { type: 18, fixed: new Uint8Array(16), what: 'List links' }

const values = (messages: readonly { body: Buffer }[]) => messages.map(({ body }) => body[0])

beforeEach(() => {
  answers = []
  waiting = []
  sent = []
  closed = 0
  channel = channelFrom(kernel)
})

describe('dump', () => {
  test('keeps only the replies that `keep` accepts, and counts from 0 in each reading', () => {
    answers = [
      [item(1), item(2, 2 | NLM_F_DUMP_INTR), item(3), done()],
      [item(1), item(2), item(3), item(4), done()],
    ]
    const counts: number[] = []
    const keep = ({ body }: { body: Buffer }, kept: number) => {
      counts.push(kept)
      return body[0] !== 1 && kept < 2
    }
    expect(values(channel.dump(request, { keep }))).toEqual([2, 3])
    expect(counts).toEqual([0, 0, 1, 0, 0, 1, 2])
  })

  test('reads several datagrams until the end of the dump', () => {
    answers = [[item(1), item(2), done()]]
    expect(values(channel.dump(request))).toEqual([1, 2])
    expect(sent[0]?.readUInt16LE(6)).toBe(0x301)
  })

  test('is repeated after an interruption', () => {
    answers = [
      [item(1, NLM_F_DUMP_INTR | 2), done()],
      [item(1), done(NLM_F_DUMP_INTR)],
      [item(3), item(4), done()],
    ]
    expect(values(channel.dump(request))).toEqual([3, 4])
    expect(sent).toHaveLength(3)
  })

  test('returns the last reading after six interrupted ones', () => {
    answers = Array.from({ length: 10 }, () => [item(1, NLM_F_DUMP_INTR), done()])
    expect(channel.dump(request)).toHaveLength(1)
    expect(sent).toHaveLength(6)
  })

  test('throws EINTR after six interrupted readings if it must be consistent', () => {
    answers = Array.from({ length: 10 }, () => [item(1, NLM_F_DUMP_INTR), done()])
    expect(() => channel.dump(request, { consistent: true })).toThrow(
      expect.objectContaining({
        code: 'EINTR',
        message: 'List links: EINTR, the table changed during each of 6 readings',
      }),
    )
  })

  test('is read to its end and repeated if an answer was lost', () => {
    answers = [
      [item(1), lost, item(2), done()],
      [item(1), lost],
      [item(1), item(2), item(3), done()],
    ]
    expect(values(channel.dump(request))).toEqual([1, 2, 3])
    answers = Array.from({ length: 10 }, () => [lost])
    expect(() => channel.dump(request)).toThrow(expect.objectContaining({ code: 'ENOBUFS' }))
  })

  test("throws a refusal at its end, with the kernel's text and offset", () => {
    const details: Attribute[] = [
      [1, cString('Unsupported attribute')],
      [2, u32(32)],
    ]
    answers = [[item(1), done(0x202, 22, details)]]
    expect(() => channel.dump(request)).toThrow(
      expect.objectContaining({
        message: 'List links: EINVAL, Unsupported attribute',
        refusal: { index: 0, errno: 22, code: 'EINVAL', text: 'Unsupported attribute', offset: 32 },
      }),
    )
  })
})

describe('ask', () => {
  test('returns at the acknowledgement', () => {
    answers = [[ack()]]
    expect(channel.ask(request)).toEqual([])
    expect(sent[0]?.readUInt16LE(6)).toBe(5)
  })

  test('a refusal contains the request only if the kernel returns it whole, not its header alone', () => {
    const whole = echo(17, 20)
    answers = [[message(NLMSG_ERROR, 0, whole)], [ack(17)]]
    const refusal = { index: 0, errno: 17, code: 'EEXIST' }
    expect(thrown(() => channel.ask(request))).toMatchObject({ refusal: { ...refusal, request: whole.subarray(4) } })
    const capped = thrown(() => channel.ask(request))
    expect(isNetlinkError(capped) && capped.refusal).toEqual(refusal)
  })

  test('returns the replies that precede the acknowledgement', () => {
    answers = [[item(5, 0), ack()]]
    expect(values(channel.ask(request))).toEqual([5])
  })

  test('a refusal has the errno and describes the request', () => {
    answers = [[ack(17)]]
    expect(() => channel.ask({ ...request, what: 'Add link "v0"' })).toThrow(
      expect.objectContaining({ name: 'NetnsError', code: 'EEXIST', message: 'Add link "v0": EEXIST' }),
    )
  })

  test('the message names the missing privilege', () => {
    answers = [[ack(1)]]
    expect(() => channel.ask(request)).toThrow('List links: EPERM (needs root: CAP_NET_ADMIN)')
  })

  test('throws instead of waiting if the kernel does not answer', () => {
    expect(() => channel.ask(request)).toThrow(
      expect.objectContaining({ code: 'EAGAIN', message: 'List links: EAGAIN, the kernel has not answered' }),
    )
  })

  test('is never repeated: if its answer is lost, the change may have been made', () => {
    answers = [[lost], [ack()]]
    expect(() => channel.ask(request)).toThrow(expect.objectContaining({ code: 'ENOBUFS' }))
    expect(sent).toHaveLength(1)
  })
})

describe('get', () => {
  test('returns at the first answer, without an acknowledgement', () => {
    answers = [[item(5, 0)]]
    expect(channel.get(request).body[0]).toBe(5)
    expect(sent[0]?.readUInt16LE(6)).toBe(1)
  })

  test('is repeated if the answer is lost', () => {
    answers = [[lost], [item(6, 0)]]
    expect(channel.get(request).body[0]).toBe(6)
  })

  test('throws if the request is refused, unanswered or only acknowledged', () => {
    answers = [[ack(19)], [], [ack()]]
    expect(() => channel.get(request)).toThrow(expect.objectContaining({ code: 'ENODEV' }))
    expect(() => channel.get(request)).toThrow(expect.objectContaining({ code: 'EAGAIN' }))
    expect(() => channel.get(request)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }))
  })
})

describe('the details of a refusal', () => {
  const text: Attribute = [1, cString('Nexthop has invalid gateway')]

  test.each<[string, number, Uint8Array]>([
    ['behind the header of our message', 0x300, echo(101)],
    ['behind the whole of it', 0x200, echo(101, 28)],
    ['behind the whole of it, padded', 0x200, echo(101, 27)],
  ])('are found %s', (_, flags, fixed) => {
    answers = [[message(NLMSG_ERROR, flags, fixed, [text, [2, u32(44)]])]]
    expect(() => channel.ask(request)).toThrow(
      expect.objectContaining({
        message: 'List links: ENETUNREACH, Nexthop has invalid gateway',
        refusal: expect.objectContaining({ offset: 44, text: 'Nexthop has invalid gateway' }),
      }),
    )
  })

  test.each<[string, number, Uint8Array]>([
    ['without the flag that announces them', 0x100, Buffer.concat([echo(22), encodeAttributes([text])])],
    ['behind a message longer than the answer', 0x200, Buffer.concat([u32(-22), u32(9999), new Uint8Array(12)])],
    ['with a length that lies', 0x300, Buffer.concat([echo(22), Uint8Array.of(200, 0, 1, 0)])],
    ['that are cut short', 0x300, u32(-22)],
  ])('%s are ignored, and the errno is kept', (_, flags, fixed) => {
    answers = [[message(NLMSG_ERROR, flags, fixed)]]
    const error = thrown(() => channel.ask(request))
    expect(isNetlinkError(error) && error.refusal).toEqual({ index: 0, errno: 22, code: 'EINVAL' })
  })
})

describe('exchange', () => {
  const batch = (...flags: number[]) => {
    const writer = new MessageWriter()
    for (const each of flags) writer.begin(20, each, u32(0)).end()
    return writer.take()
  }

  test('numbers all messages and never reuses a number', () => {
    answers = [[ack(0, 2)], [ack(0, 1)]]
    const bytes = batch(1, 1, 1 | NLM_F_ACK)
    channel.exchange(bytes, 'Change')
    expect(decodeMessages(bytes).map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    channel.exchange(batch(1, 1 | NLM_F_ACK), 'Change')
    expect(decodeMessages(sent[1] ?? Buffer.alloc(0)).map(({ sequence }) => sequence)).toEqual([4, 5])
  })

  test('reports the index of every refused message and does not throw', () => {
    answers = [[ack(2, 1), ack(16, 3), ack(0, 4)]]
    const outcome = channel.exchange(batch(1, 1, 1, 1, 1 | NLM_F_ACK), 'Change')
    expect(outcome).toEqual({
      replies: [],
      refusals: [
        { index: 1, errno: 2, code: 'ENOENT' },
        { index: 3, errno: 16, code: 'EBUSY' },
      ],
      acknowledged: true,
      lost: false,
    })
  })

  test('returns at the last acknowledgement, and keeps replies between acknowledgements', () => {
    answers = [[ack(0, 0), item(9, 0), ack(0, 1), ack(17, 2)]]
    const outcome = channel.exchange(batch(5, 5, 5), 'Change')
    expect(values(outcome.replies)).toEqual([9])
    expect(outcome.refusals).toEqual([{ index: 2, errno: 17, code: 'EEXIST' }])
  })

  test('accepts a missing acknowledgement: an older kernel sends none for a batch', () => {
    expect(channel.exchange(batch(1, 5), 'Change')).toEqual({
      replies: [],
      refusals: [],
      acknowledged: false,
      lost: false,
    })
  })

  test("reports `lost` if answers exceeded the socket's buffer", () => {
    answers = [[ack(2, 0), lost]]
    expect(channel.exchange(batch(1, 1, 5), 'Change')).toMatchObject({ lost: true, acknowledged: false })
  })

  test('refuses to send bytes that are not a batch', () => {
    const cut = batch(1, 1).subarray(0, 30)
    expect(() => channel.exchange(cut, 'Change')).toThrow(
      expect.objectContaining({
        code: 'PROTOCOL',
        message: 'Change: Invalid netlink message: length 10 at 20 of 30 bytes',
      }),
    )
    expect(sent).toEqual([])
  })
})

describe('messages of an earlier exchange', () => {
  test('are not returned as answers', () => {
    answers = [[after(99, item(9)), after(0, ack(1)), item(5), done()]]
    expect(values(channel.dump(request))).toEqual([5])
  })

  test('are read before the next request is sent, which frees the buffer', () => {
    answers = [[item(1), () => Buffer.from('ff000000000000000000000000000000', 'hex'), item(2), done()], [ack()]]
    expect(() => channel.dump(request)).toThrow(
      expect.objectContaining({
        code: 'PROTOCOL',
        message: expect.stringMatching(/^List links: Invalid netlink message/),
      }),
    )
    expect(waiting).toHaveLength(2)
    channel.ask(request)
    expect(waiting).toHaveLength(0)
  })
})

test('the port is taken from any answer, and requested only before the first one', () => {
  answers = [[ack(1)]]
  expect([channel.port(), channel.port()]).toEqual([4711, 4711])
  expect(sent.map((bytes) => [bytes.length, bytes.readUInt16LE(4), bytes.readUInt16LE(6)])).toEqual([[16, 1, 5]])

  const other = channelFrom(kernel)
  answers = [[ack()]]
  other.ask(request)
  expect([other.port(), sent.length]).toEqual([4711, 2])
})

test('errors of the socket describe the request, and keep code and cause', () => {
  const cause = new SysError('sendto', 'EMSGSIZE', 90, '7')
  const failing = channelFrom({
    ...kernel,
    send: () => {
      throw cause
    },
  })
  expect(() => failing.ask(request)).toThrow(
    expect.objectContaining({ name: 'NetnsError', code: 'EMSGSIZE', message: 'List links: sendto 7: EMSGSIZE', cause }),
  )
  const gone = channelFrom({
    ...kernel,
    send: () => {
      throw new NetnsError('CLOSED', 'the netlink socket is closed')
    },
  })
  expect(() => gone.dump(request)).toThrow('List links: the netlink socket is closed')
})

test('close and the end of a using block close the socket', () => {
  channel.close()
  {
    using _ = channel
  }
  expect(closed).toBe(2)
  expect(channel.fd).toBe(7)
})

test('isNetlinkError recognises an error of another copy of the package', () => {
  expect(isNetlinkError(Object.assign(new Error('x'), { [Symbol.for('cni.NetlinkError')]: true }))).toBe(true)
  expect(isNetlinkError(new NetnsError('EPERM', 'x'))).toBe(false)
})

function thrown(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
