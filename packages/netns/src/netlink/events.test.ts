import { expect, test } from 'vitest'
import { encodeMessage } from './encode.ts'
import { events } from './events.ts'
import type { NetlinkSocket } from './socket.ts'

type Waiting = ReturnType<NetlinkSocket['receive']>

const socketWith = (waiting: Waiting[]): NetlinkSocket => ({
  fd: -1,
  send: () => {},
  receive: () => waiting.shift() ?? 'none',
  close: () => {},
  leave: () => {},
  [Symbol.dispose]: () => {},
})
const event = (type: number) => encodeMessage({ type })

test('yields one datagram at a time, including datagrams that arrive during the wait', { timeout: 5000 }, async () => {
  const waiting: Waiting[] = [Buffer.concat([event(20), event(21)]), event(22)]
  const seen: number[][] = []
  for await (const { messages, lost } of events(socketWith(waiting), { interval: 1 })) {
    seen.push(messages.map(({ type }) => type))
    expect(lost).toBe(false)
    if (seen.length === 2) setTimeout(() => waiting.push(event(23)), 1)
    if (seen.length === 3) break
  }
  expect(seen).toEqual([[20, 21], [22], [23]])
})

test('reports lost events only after all datagrams are read: until then the kernel drops further events', async () => {
  const waiting: Waiting[] = [event(20), 'lost', event(21), Buffer.concat([event(22), event(23)]), 'lost', event(24)]
  const seen: unknown[] = []
  for await (const { messages, lost } of events(socketWith(waiting), { interval: 1 })) {
    seen.push([lost, messages.map(({ type }) => type)])
    if (lost) {
      expect(waiting).toEqual([])
      waiting.push(event(25))
    }
    if (seen.length === 3) break
  }
  expect(seen).toEqual([
    [false, [20]],
    [true, [21, 22, 23, 24]],
    [false, [25]],
  ])
})

test('stops reading a socket that other processes fill faster than it is read', async () => {
  const flooded: NetlinkSocket = { ...socketWith([]), receive: () => 'lost' }
  expect(await events(flooded).next()).toEqual({ done: false, value: { messages: [], lost: true } })
})

test('an abort ends the events, even during a long wait', { timeout: 5000 }, async () => {
  const controller = new AbortController()
  const waiting: Waiting[] = [event(20)]
  let count = 0
  for await (const _ of events(socketWith(waiting), { signal: controller.signal, interval: 3_600_000 })) {
    count++
    setTimeout(() => controller.abort(), 1)
  }
  expect(count).toBe(1)
  const again = events(socketWith([event(20)]), { signal: controller.signal })
  expect((await again.next()).done).toBe(true)
})

test('throws for bytes that are not netlink messages', async () => {
  const rejected = events(socketWith([Buffer.alloc(16)])).next()
  await expect(rejected).rejects.toMatchObject({ code: 'PROTOCOL' })
})
