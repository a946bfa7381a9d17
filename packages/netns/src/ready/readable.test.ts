import { closeSync, readdirSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MSG_DONTWAIT, SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { watchReadable } from './readable.ts'

const SOCK_DGRAM = 2
const descriptors = () => readdirSync('/proc/self/fd').length
const sys = loadSys()

let pair: [number, number]
let before: number
beforeEach(() => {
  before = descriptors()
  pair = sys.socketpair(SOCK_DGRAM | SOCK_CLOEXEC)
})
afterEach(() => {
  for (const fd of pair) closeSync(fd)
  expect(descriptors()).toBe(before)
  expect(process.listenerCount('SIGURG')).toBe(0)
})

const send = () => sys.sendto(pair[1], Buffer.from('x'), MSG_DONTWAIT)
const received = (): boolean => {
  try {
    return sys.recv(pair[0], Buffer.alloc(10), MSG_DONTWAIT) === 1
  } catch {
    // EAGAIN: nothing to read.
    return false
  }
}

test('reports data from before the watch, from during a wait, and from between two waits', async () => {
  send()
  using readable = watchReadable(pair[0])
  await readable.next()
  expect(received()).toBe(true)
  for (const isWaiting of [true, false, true]) {
    const next = (async () => {
      while (!received()) await readable.next()
    })()
    if (isWaiting) await turn()
    send()
    await next
    send()
    await turn()
    await readable.next()
    expect(received()).toBe(true)
  }
})

test('an abort ends the wait, and so does the end of the watch', async () => {
  const abort = new AbortController()
  const readable = watchReadable(pair[0])
  const aborted = (async () => {
    while (!abort.signal.aborted) await readable.next(abort.signal)
  })()
  await turn()
  abort.abort()
  await aborted
  await readable.next(abort.signal)
  const ended = readable.next()
  readable[Symbol.dispose]()
  await ended
})

test('watches many descriptors, and wakes each waiter for its own descriptor', async () => {
  const pairs = Array.from({ length: 100 }, () => sys.socketpair(SOCK_DGRAM | SOCK_CLOEXEC))
  const watched = pairs.map(([fd]) => watchReadable(fd))
  await Promise.all(watched.map((each) => each.next()))
  for (let turns = 0; turns < 3; turns++) await turn()
  const told: number[] = []
  const waits = watched.map((each, index) => each.next().then(() => told.push(index)))
  for (const index of [99, 7, 50]) sys.sendto(pairs[index]?.[1] ?? -1, Buffer.from('x'), 0)
  await expect.poll(() => told.length, { timeout: 10_000 }).toBe(3)
  expect(told.sort((a, b) => a - b)).toEqual([7, 50, 99])
  for (const each of watched) each[Symbol.dispose]()
  await Promise.all(waits)
  for (const fd of pairs.flat()) closeSync(fd)
})

test('a closed descriptor throws and leaves nothing registered', () => {
  expect(() => watchReadable(99_999)).toThrow(expect.objectContaining({ code: 'EBADF' }))
})
