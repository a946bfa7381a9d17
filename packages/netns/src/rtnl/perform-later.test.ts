import { expect, test } from 'vitest'
import { NetnsError } from '../handle/netns-error.ts'
import type { RequestChannel } from '../netlink/channel.ts'
import type { Message } from '../netlink/decode.ts'

import type { Request } from '../netlink/encode.ts'

import { performLater } from './perform-later.ts'

const request = (type: number): Request => ({ type, what: `Ask ${type}` })
const message = (type: number): Message => ({ type, flags: 0, sequence: 0, port: 0, body: Buffer.alloc(0) })

/** Fake kernel: returns messages of the requested type, refuses types above 100, records all requests. */
function kernel() {
  const asked: string[] = []
  const ask = async (kind: string, { type, what }: Request) => {
    asked.push(`${kind} ${type}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (type > 100) throw new NetnsError('ENODEV', `${what}: ENODEV`)
    return kind === 'dump' ? [message(type), message(type)] : [message(type)]
  }
  return { asked, ask }
}

test('an operation gets its answers in order, and each request is sent once', async () => {
  const { asked, ask } = kernel()
  const operation = (channel: RequestChannel) => {
    const first = channel.get(request(1)).type
    const second = channel.ask(request(first + 1)).length
    return [first, second, channel.dump(request(9)).length]
  }
  expect(await performLater(operation, ask)).toEqual([1, 1, 2])
  expect(asked).toEqual(['get 1', 'ask 2', 'dump 9'])
})

test('a refusal is thrown inside the operation, which may catch it and continue', async () => {
  const { asked, ask } = kernel()
  const operation = (channel: RequestChannel) => {
    try {
      return channel.get(request(101)).type
    } catch (error) {
      if (!(error instanceof NetnsError)) throw error
      return channel.get(request(7)).type
    }
  }
  expect(await performLater(operation, ask)).toBe(7)
  expect(asked).toEqual(['get 101', 'get 7'])
})

test('an error that the operation throws reaches the caller', async () => {
  const { asked, ask } = kernel()
  await expect(performLater((channel) => channel.ask(request(101)), ask)).rejects.toMatchObject({ code: 'ENODEV' })
  const invalid = new NetnsError('INVALID', 'Not an interface name')
  const operation = () => {
    throw invalid
  }
  await expect(performLater(operation, ask)).rejects.toBe(invalid)
  expect(asked).toEqual(['ask 101'])
})
