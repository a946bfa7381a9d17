import type { NetlinkSocket } from '@cni/netns/netlink'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generationIn, generationRequest, numberedBatch, wasTaken } from './one-batch.ts'

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))

const BEGIN = '1c000000 10000100 00000000 00000000 0000000a 08000100 00000000'
const DELETE_ALL = '14000000 020a0100 00000000 00000000 00000000'
const END = '14000000 11000500 00000000 00000000 0000000a'

/** Socket that returns these datagrams in order. */
function socketWith(...answers: readonly (Uint8Array | 'lost')[]): NetlinkSocket {
  const left = [...answers]
  return {
    fd: -1,
    send() {},
    receive: () => left.shift() ?? 'none',
    close() {},
    leave() {},
    [Symbol.dispose]() {},
  }
}

describe('numberedBatch', () => {
  test('sets the generation in network order, and a sequence number in each message', () => {
    const bytes = numberedBatch(hex(BEGIN + DELETE_ALL + END), { generation: 0x01020304, first: 7 })
    expect(Buffer.from(bytes ?? []).toString('hex')).toBe(
      Buffer.from(
        hex(
          '1c000000 10000100 07000000 00000000 0000000a 08000100 01020304' +
            '14000000 020a0100 08000000 00000000 00000000 14000000 11000500 09000000 00000000 0000000a',
        ),
      ).toString('hex'),
    )
  })

  test('returns a copy, also of unaligned bytes', () => {
    const given = Buffer.from(`00${(BEGIN + DELETE_ALL + END).replaceAll(' ', '')}`, 'hex').subarray(1)
    const before = given.toString('hex')
    expect(numberedBatch(given, { generation: 2, first: 1 })?.length).toBe(given.length)
    expect(given.toString('hex')).toBe(before)
  })

  test.each([
    ['nothing', ''],
    ['a beginning', BEGIN],
    ['no end', BEGIN + DELETE_ALL],
    ['something behind the end', BEGIN + END + DELETE_ALL],
    ['no place for the generation', `14000000 10000100 00000000 00000000 0000000a${DELETE_ALL}${END}`],
    ['another attribute', `${BEGIN.replace('08000100', '08000200')}${END}`],
    ['a message of something else', `${BEGIN}14000000 02010100 00000000 00000000 00000000${END}`],
    ['a length that is too short', `${BEGIN}0c000000 020a0100 00000000 00000000 00000000${END}`],
    ['a length that is too long', `${BEGIN}${DELETE_ALL}${END.replace('14000000', '18000000')}`],
    ['an end with more in it', `${BEGIN}18000000 11000500 00000000 00000000 0000000a 00000000`],
    ['half a word', `${BEGIN}${DELETE_ALL}${END}00`],
  ])('refuses a batch with %s', (_, text) => {
    expect(numberedBatch(hex(text), { generation: 1, first: 1 })).toBeUndefined()
  })

  test('returns for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (more) => {
        numberedBatch(new Uint8Array([...hex(BEGIN), ...more]), { generation: 1, first: 1 })
      }),
    )
  })
})

describe('the generation', () => {
  const answer = '34000000 0f0a0000 01000000 11000000 00000000 08000100 0000002a 08000200 00000001 10000300'

  test('is requested by a message of nf_tables, and read from its answer', () => {
    expect(Buffer.from(generationRequest(1)).toString('hex')).toBe('14000000100a0100010000000000000000000000')
    const other = hex(answer.replace('01000000 11', '09000000 11').replace('0000002a', '00000001'))
    expect(generationIn(socketWith(other, hex(answer)), 1)).toBe(42)
  })

  test.each([
    ['no answer', []],
    ['an answer that was lost', ['lost' as const]],
    ['a refusal', [hex('24000000 02000000 01000000 11000000 ffffffff 14000000 100a0100 01000000 00000000')]],
    ['another attribute first', [hex(answer.replace('08000100', '08000200'))]],
    ['half an answer', [hex(answer.slice(0, 45))]],
  ])('throws for %s', (_, answers) => {
    expect(() => generationIn(socketWith(...answers), 1)).toThrow('the kernel reported no generation')
  })
})

describe('wasTaken', () => {
  const sent = numberedBatch(hex(BEGIN + DELETE_ALL + END), { generation: 1, first: 7 }) ?? new Uint8Array()
  const acknowledged = (sequence: string, errno: string) =>
    hex(`24000000 02000001 ${sequence} 11000000 ${errno} 14000000 11000500 ${sequence} 00000000`)

  test.each([
    ['is true if the last message is acknowledged', [acknowledged('09000000', '00000000')], true],
    ['is true without any answer', [], true],
    ['reads nothing after the last acknowledgement', [acknowledged('09000000', '00000000'), 'lost' as const], true],
    ['is true if an earlier message is acknowledged', [acknowledged('08000000', '00000000')], true],
    ['is false if the last message is refused', [acknowledged('09000000', 'efffffff')], false],
    ['is true if a message of another request is refused', [acknowledged('01000000', 'ffffffff')], true],
    [
      'is false if any message is refused',
      [acknowledged('08000000', 'efffffff'), acknowledged('09000000', '00000000')],
      false,
    ],
    ['is false if answers were lost', ['lost' as const], false],
    ['is false for an invalid answer', [hex('04000000 02000000 09000000 11000000')], false],
  ])('%s', (_, answers, taken) => {
    expect(wasTaken(socketWith(...answers), sent)).toBe(taken)
  })

  test('is false if the second answer of a datagram is a refusal', () => {
    const both = new Uint8Array([...acknowledged('08000000', '00000000'), ...acknowledged('09000000', 'efffffff')])
    expect(wasTaken(socketWith(both), sent)).toBe(false)
  })

  test('returns a boolean for any answer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(wasTaken(socketWith(bytes), sent)).toBeTypeOf('boolean')
      }),
    )
  })
})
