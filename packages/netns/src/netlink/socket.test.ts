import { openSync, readlinkSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { type Sys, SysError } from '../sys/sys.ts'
import { NETLINK_ROUTE } from './constants.ts'
import { type NetlinkSocket, openSocket } from './socket.ts'

// Fake system calls: record the calls, fail on request, and return datagrams.
let calls: string[]
let fail: Record<string, string>
let waiting: { bytes: Uint8Array; port?: number }[]
let fd: number

const note = (call: string) => {
  calls.push(call)
  const code = fail[call] ?? fail[call.split(' ')[0] ?? '']
  if (code === undefined) return
  // Fails only once.
  delete fail[call]
  throw new SysError(call, code, 0, '')
}
const fake: Partial<Sys> = {
  socket(...numbers) {
    note(`socket ${numbers.join(' ')}`)
    fd = openSync('/dev/null', 'r')
    return fd
  },
  bind: (_, address) => note(`bind ${Buffer.from(address).toString('hex')}`),
  setsockopt: (_, level, option, value) => note(`setsockopt ${level} ${option} ${Buffer.from(value).readUInt32LE(0)}`),
  sendto(_, data) {
    note(`sendto ${data.length}`)
    return data.length
  },
  recv(_, buffer, _flags, from) {
    note('recv')
    const next = waiting.shift()
    if (next === undefined) throw new SysError('recv', 'EAGAIN', 11, '')
    buffer.set(next.bytes.subarray(0, buffer.length))
    Buffer.from(from?.buffer ?? new ArrayBuffer(8), from?.byteOffset).writeUInt32LE(next.port ?? 0, 4)
    return next.bytes.length
  },
}
const open = (options?: Parameters<typeof openSocket>[2]): NetlinkSocket => openSocket(fake as Sys, 12, options)
const isOpen = () => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === '/dev/null'
  } catch {
    return false
  }
}

beforeEach(() => {
  calls = []
  fail = {}
  waiting = []
})

const OPENED = ['socket 16 524291 12', 'setsockopt 270 11 1', 'setsockopt 270 10 1']
const BOUND = 'bind 100000000000000000000000'

test('requests extended errors and short acknowledgements, and binds a port', () => {
  using _ = open()
  expect(calls).toEqual([...OPENED, BOUND])
})

test('works without options that an older kernel lacks', () => {
  fail = {
    'setsockopt 270 11 1': 'ENOPROTOOPT',
    'setsockopt 270 10 1': 'ENOPROTOOPT',
    'setsockopt 270 12 1': 'ENOPROTOOPT',
  }
  using socket = open({ strict: true })
  expect(socket.fd).toBe(fd)
})

test('joins groups after binding a port: without a port the kernel sends no events', () => {
  using _ = open({ groups: [7, 9] })
  expect(calls).toEqual([OPENED[0], BOUND, 'setsockopt 270 1 7', 'setsockopt 270 1 9'])
})

test('forces a larger receive buffer, or requests it without the privilege', () => {
  open({ receiveBuffer: 1_000_000 }).close()
  expect(calls).toContain('setsockopt 1 33 1000000')
  expect(calls).not.toContain('setsockopt 1 8 1000000')
  fail = { 'setsockopt 1 33 1000000': 'EPERM' }
  open({ receiveBuffer: 1_000_000 }).close()
  expect(calls).toContain('setsockopt 1 8 1000000')
})

test.each([
  ['bind', { bind: 'ENOMEM' }],
  ['a group that needs a privilege', { 'setsockopt 270 1 7': 'EPERM' }],
])('a failure of %s closes the opened descriptors', (_, failing) => {
  fail = failing
  expect(() => open({ groups: [7] })).toThrow(SysError)
  expect(isOpen()).toBe(false)
})

test('a datagram larger than the send buffer is sent after the buffer is enlarged', () => {
  using socket = open()
  fail = { 'sendto 300000': 'EMSGSIZE' }
  socket.send(new Uint8Array(300_000))
  expect(calls.slice(-3)).toEqual(['sendto 300000', 'setsockopt 1 32 300000', 'sendto 300000'])
})

test('other send errors are not retried', () => {
  using socket = open()
  fail = { 'sendto 4': 'EPERM' }
  expect(() => socket.send(new Uint8Array(4))).toThrow(expect.objectContaining({ code: 'EPERM' }))
  expect(calls.filter((call) => call === 'sendto 4')).toHaveLength(1)
})

test('receives datagrams one by one, each with bytes of its own', () => {
  waiting = [{ bytes: Uint8Array.of(1, 2) }, { bytes: Uint8Array.of(3) }]
  using socket = open()
  const first = socket.receive()
  expect([socket.receive(), first, socket.receive()]).toEqual([Uint8Array.of(3), Uint8Array.of(1, 2), 'none'])
})

test('ignores a datagram of another process: any process with CAP_NET_ADMIN in the namespace may send one', () => {
  waiting = [{ bytes: Uint8Array.of(1), port: 4711 }, { bytes: Uint8Array.of(2) }]
  using socket = open()
  expect(socket.receive()).toEqual(Uint8Array.of(2))
})

test('a flood of such datagrams throws instead of blocking', () => {
  const recv: Sys['recv'] = (_, _buffer, _flags, from) => {
    from?.fill(1)
    return 4
  }
  using socket = openSocket({ ...fake, recv } as Sys, NETLINK_ROUTE)
  expect(() => socket.receive()).toThrow(
    expect.objectContaining({ code: 'ENOBUFS', message: 'another process floods the netlink socket' }),
  )
})

test('a datagram that does not fit is lost, and the next one of its size fits', () => {
  waiting = [{ bytes: new Uint8Array(100_000) }, { bytes: new Uint8Array(100_000).fill(7) }]
  using socket = open()
  expect(socket.receive()).toBe('lost')
  const next = socket.receive()
  expect(typeof next !== 'string' && next.length === 100_000 && next.every((byte) => byte === 7)).toBe(true)
})

test('reports an overflow, ignores an interruption, and throws other failures', () => {
  waiting = [{ bytes: Uint8Array.of(1) }]
  using socket = open()
  fail = { recv: 'ENOBUFS' }
  expect(socket.receive()).toBe('lost')
  fail = { recv: 'EINTR' }
  expect(socket.receive()).toEqual(Uint8Array.of(1))
  fail = { recv: 'EBADF' }
  expect(() => socket.receive()).toThrow(expect.objectContaining({ code: 'EBADF' }))
})

test('a closed socket throws CLOSED, and can be closed again', () => {
  const socket = open()
  socket.close()
  socket.close()
  expect(isOpen()).toBe(false)
  expect(() => socket.send(new Uint8Array(1))).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  expect(() => socket.receive()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})
