import { openSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { type Sys, SysError } from '../sys/sys.ts'
import { type Channel, openChannel } from './channel.ts'
import { NLM_F_DUMP_INTR } from './constants.ts'

// A kernel that answers each request with the next list of datagrams.
let answers: Array<(sequence: number) => Uint8Array>[]
let pending: Uint8Array[]
let requests: Buffer[]
let channel: Channel

const message = (type: number, flags: number, body: number[]) => (sequence: number) => {
  const bytes = Buffer.alloc(16 + body.length)
  bytes.writeUInt32LE(bytes.length, 0)
  bytes.writeUInt16LE(type, 4)
  bytes.writeUInt16LE(flags, 6)
  bytes.writeUInt32LE(sequence, 8)
  bytes.set(body, 16)
  return bytes
}
const item = (value: number, flags = 2) => message(16, flags, [value, 0, 0, 0])
const done = (flags = 2) => message(3, flags, [0, 0, 0, 0])
const error = (errno: number) => message(2, 0, [...int32(-errno), ...Array<number>(16).fill(0)])
const int32 = (value: number) => [...new Uint8Array(Int32Array.of(value).buffer)]
const request = { type: 18, fixed: new Uint8Array(16), what: 'List links' }

const kernel: Partial<Sys> = {
  name: 'koffi',
  socket: () => openSync('/dev/null', 'r'),
  bind: () => {},
  setsockopt: () => {
    throw new SysError('setsockopt', 'ENOPROTOOPT', 92, '')
  },
  sendto(_, data) {
    requests.push(Buffer.from(data))
    const sequence = Buffer.from(data).readUInt32LE(8)
    pending.push(...(answers.shift() ?? []).map((build) => build(sequence)))
    return data.length
  },
  recv(_, buffer) {
    const datagram = pending.shift()
    if (datagram === undefined) throw new SysError('recv', 'EAGAIN', 11, '')
    buffer.set(datagram.subarray(0, buffer.length))
    return datagram.length
  },
}

beforeEach(() => {
  answers = []
  pending = []
  requests = []
  channel = openChannel(kernel as Sys)
  return () => channel.close()
})

test('a dump is read until it is done, over several datagrams', () => {
  answers = [[item(1), item(2), done()]]
  expect(channel.dump(request).map((body) => body[0])).toEqual([1, 2])
})

test('a dump that was interrupted is asked again', () => {
  answers = [
    [item(1, NLM_F_DUMP_INTR | 2), done()],
    [item(1), done(NLM_F_DUMP_INTR)],
    [item(3), item(4), done()],
  ]
  expect(channel.dump(request).map((body) => body[0])).toEqual([3, 4])
  expect(requests).toHaveLength(3)
})

test('a dump that is always interrupted is taken as it is after six tries', () => {
  answers = Array.from({ length: 10 }, () => [item(1, NLM_F_DUMP_INTR), done()])
  expect(channel.dump(request)).toHaveLength(1)
  expect(requests).toHaveLength(6)
})

test('a refusal carries the errno, and what was tried', () => {
  answers = [[error(17)]]
  expect(() => channel.ask({ ...request, what: 'Add link "v0"' })).toThrow(
    expect.objectContaining({ name: 'NetnsError', code: 'EEXIST', message: 'Add link "v0": EEXIST' }),
  )
})

test('a dump can be refused at its end', () => {
  answers = [[message(3, 2, int32(-22))]]
  expect(() => channel.dump(request)).toThrow(expect.objectContaining({ code: 'EINVAL' }))
})

test("the kernel's own sentence is part of the message", () => {
  const text = [...Buffer.from('Nexthop has invalid gateway\0')]
  const body = [...int32(-101), ...Array<number>(16).fill(0), 32, 0, 1, 0, ...text]
  answers = [[message(2, 0x300, body)]]
  expect(() => channel.ask(request)).toThrow('List links: ENETUNREACH, Nexthop has invalid gateway')
})

test('what is left of an earlier answer is not taken for this one', () => {
  answers = [[() => item(99)(0), () => error(1)(0), item(5), error(0)]]
  expect(channel.ask(request).map((body) => body[0])).toEqual([5])
})

test('without an answer there is an error, not a wait', () => {
  answers = [[]]
  expect(() => channel.ask(request)).toThrow(expect.objectContaining({ name: 'NetnsError', code: 'EAGAIN' }))
})

test('an answer that was cut, or that lies about its length, is an error', () => {
  answers = [[() => new Uint8Array(70_000)]]
  expect(() => channel.ask(request)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }))
  answers = [[() => Buffer.from('ff000000000000000000000000000000', 'hex')]]
  expect(() => channel.ask(request)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }))
})

test('a closed channel says so, and may be closed again', () => {
  channel.close()
  channel.close()
  expect(() => channel.ask(request)).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})
