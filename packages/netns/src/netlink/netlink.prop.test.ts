import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNetnsError } from '../handle/netns-error.ts'
import { addDatagram, noAnswers } from './answers.ts'
import { channelFrom } from './channel.ts'
import { NLM_F_ACK_TLVS, NLMSG_DONE, NLMSG_ERROR } from './constants.ts'
import { attributeMap, decodeAttributes, decodeMessages } from './decode.ts'
import { type Attribute, encodeAttributes, encodeMessage } from './encode.ts'
import { events } from './events.ts'
import type { NetlinkSocket } from './socket.ts'
import { MessageWriter } from './writer.ts'

const endsWell = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    if (!isNetnsError(error)) throw error
    expect(error.code).toMatch(/^E[A-Z0-9_]+$|^PROTOCOL$/)
  }
}

/** Bytes that look like messages, often with an invalid length. */
const message = fc
  .record({
    lie: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: -40, max: 40 })),
    type: fc.oneof(fc.constantFrom(NLMSG_ERROR, NLMSG_DONE, 1, 4, 18), fc.nat(0xffff)),
    flags: fc.oneof(fc.constantFrom(0, NLM_F_ACK_TLVS, 0x300, 2), fc.nat(0xffff)),
    sequence: fc.oneof(fc.constant(1), fc.nat()),
    body: fc.uint8Array({ maxLength: 60 }),
  })
  .map(({ lie, type, flags, sequence, body }) => {
    const bytes = encodeMessage({ type, flags, fixed: body })
    bytes.writeUInt32LE(Math.max(0, bytes.length + lie), 0)
    bytes.writeUInt32LE(sequence, 8)
    return bytes
  })
const datagram = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.array(message, { maxLength: 4 }).map((messages) => Buffer.concat(messages)),
)

/** Socket with datagrams to receive. */
const holding = (waiting: Buffer[]): NetlinkSocket => ({
  fd: -1,
  send: () => {},
  receive: () => waiting.shift() ?? 'none',
  close: () => {},
  leave: () => {},
  [Symbol.dispose]: () => {},
})

test('decoding of any bytes terminates with values or a NetnsError', () => {
  fc.assert(
    fc.property(datagram, fc.nat(40), (bytes, fixed) => {
      endsWell(() => decodeMessages(bytes))
      endsWell(() => decodeAttributes(bytes, fixed))
      endsWell(() => attributeMap(bytes, fixed))
      endsWell(() => addDatagram(noAnswers({ kind: 'ask', first: 1, last: 1, final: 1 }), bytes))
    }),
  )
})

test('a request terminates with an answer or a NetnsError, for any bytes from the kernel', () => {
  fc.assert(
    fc.property(fc.array(datagram, { maxLength: 8 }), (waiting) => {
      const request = { type: 18, what: 'Ask' }
      endsWell(() => channelFrom(holding([...waiting])).get(request))
      endsWell(() => channelFrom(holding([...waiting])).ask(request))
      endsWell(() => channelFrom(holding([...waiting])).dump(request))
      endsWell(() => channelFrom(holding([...waiting])).exchange(encodeMessage({ type: 18, flags: 5 }), 'Ask'))
    }),
  )
})

test('any bytes for a batch are sent or refused, and every message is numbered', () => {
  fc.assert(
    fc.property(datagram, (bytes) => {
      endsWell(() => {
        const { replies } = channelFrom(holding([])).exchange(bytes, 'Send')
        expect(replies).toEqual([])
        expect(decodeMessages(bytes).map(({ sequence }) => sequence)).toEqual(
          decodeMessages(bytes).map((_, i) => i + 1),
        )
      })
    }),
  )
})

test('events terminate, or fail with a NetnsError, for any bytes from the kernel', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(datagram, { minLength: 1, maxLength: 4 }), async (waiting) => {
      const total = waiting.length
      let seen = 0
      try {
        for await (const _ of events(holding(waiting))) if (++seen === total) break
      } catch (error) {
        if (!isNetnsError(error)) throw error
        expect(error.code).toBe('PROTOCOL')
      }
    }),
  )
})

const attribute = fc.letrec<{ attribute: Attribute; list: Attribute[] }>((tie) => ({
  attribute: fc.tuple(
    fc.integer({ min: 1, max: 0x3fff }),
    fc.oneof({ maxDepth: 3 }, fc.uint8Array({ maxLength: 40 }), tie('list')),
  ),
  list: fc.array(tie('attribute'), { maxLength: 5 }),
})).list

/** Decodes nested attributes at the places where the sent attributes are nested. */
const decoded = (bytes: Buffer, like: readonly Attribute[]): unknown =>
  decodeAttributes(bytes).map(([type, value], i) => {
    const nested = like[i]?.[1]
    return [type, nested === undefined || nested instanceof Uint8Array ? [...value] : decoded(value, nested)]
  })
const plain = (list: readonly Attribute[]): unknown =>
  list.map(([type, value]) => [type, value instanceof Uint8Array ? [...value] : plain(value)])

test('attributes decode to the encoded ones, in the same order, for both encoders', () => {
  fc.assert(
    fc.property(attribute, fc.nat(0xffff), fc.nat(0xffff), (attributes, type, flags) => {
      const fixed = Uint8Array.of(1, 2, 3, 4)
      const bytes = encodeMessage({ type, flags, fixed, attributes })
      const [message, ...rest] = decodeMessages(bytes)
      expect(rest).toEqual([])
      expect(message).toMatchObject({ type, flags, sequence: 0, port: 0 })
      expect(decoded(message?.body.subarray(4) ?? Buffer.alloc(0), attributes)).toEqual(plain(attributes))
      expect(Buffer.from(encodeAttributes(attributes, fixed)).equals(message?.body ?? Buffer.alloc(0))).toBe(true)

      const writer = new MessageWriter(16).begin(type, flags, fixed)
      write(writer, attributes)
      expect(writer.end().take().equals(bytes)).toBe(true)
    }),
  )
})

function write(writer: MessageWriter, list: readonly Attribute[]): void {
  for (const [type, value] of list) {
    if (value instanceof Uint8Array) writer.bytes(type, value)
    else {
      write(writer.nest(type), value)
      writer.end()
    }
  }
}
