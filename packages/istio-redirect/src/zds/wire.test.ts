import { ProtobufError } from '@cni/types/protobuf'
import { describe, expect, test } from 'vitest'
import { decodeRequest, encodeAck, encodeHello } from '../testing/node/ztunnel/wire-of-ztunnel.ts'
import { decodeAck, decodeHello, encodeRequest, type ZdsRequest } from './wire.ts'

const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
const u = Buffer.from(uid).toString('hex')
const workload = { name: 'p1', namespace: 'amb', serviceAccount: 'sa1' }
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('a message of the agent has the same bytes as a message of Istio’s agent', () => {
  const table: readonly (readonly [string, ZdsRequest, string])[] = [
    ['Add', { type: 'add', uid, workload }, `0a36 0a24${u} 120e 0a027031 1203616d62 1a03736131`],
    [
      'Add of another pod',
      { type: 'add', uid, workload: { name: 'q1', namespace: 'plain', serviceAccount: 'sa2' } },
      `0a38 0a24${u} 1210 0a027131 1205706c61696e 1a03736132`,
    ],
    [
      'Add without a service account',
      { type: 'add', uid, workload: { ...workload, serviceAccount: '' } },
      `0a31 0a24${u} 1209 0a027031 1203616d62`,
    ],
    [
      'Add of a pod without a name: ztunnel exits if the field is missing',
      { type: 'add', uid, workload: { name: '', namespace: '', serviceAccount: '' } },
      `0a28 0a24${u} 1200`,
    ],
    ['Keep', { type: 'keep', uid }, `2a26 0a24${u}`],
    ['Del, with field number 2', { type: 'del', uid }, `1226 1224${u}`],
    ['Del with a short UID', { type: 'del', uid: 'u' }, '1203 120175'],
    ['Keep with a short UID', { type: 'keep', uid: 'u' }, '2a03 0a0175'],
    ['SnapshotSent', { type: 'snapshotSent' }, '1a00'],
  ]
  test.each(table)('%s', (_, request, expected) => {
    expect(hex(encodeRequest(request))).toBe(expected.replaceAll(' ', ''))
    expect(decodeRequest(encodeRequest(request))).toEqual(request)
  })
})

describe('a message of ztunnel', () => {
  test.each([
    ['of a real ztunnel', '0801', 1],
    ['of no version', '0800', 0],
    ['of another version', '0802', 2],
    ['with unknown fields', '0801 1203616263 1d00000000 210000000000000000 280a', 1],
    ['of a version below 0', '08ffffffffffffffffff01', -1],
  ])('decodes a hello %s', (_, text, version) => {
    expect(decodeHello(bytes(text))).toEqual({ version })
  })

  test.each([
    ['success', '0a00', { error: '' }],
    ['an error', '0a08 0a06 6e6f20776179', { error: 'no way' }],
    ['an error and unknown fields', '1200 0a0a 0a06 6e6f20776179 1001', { error: 'no way' }],
    ['several errors, of which the last counts', '0a08 0a06 6e6f20776179 0a00', { error: '' }],
    ['only unknown fields', '1200', undefined],
    ['an empty message', '', undefined],
  ])('decodes an ack: %s', (_, text, ack) => {
    expect(decodeAck(bytes(text))).toEqual(ack)
  })

  test.each([
    ['a number that does not end', '08', 'the message ends in a number'],
    ['a number of eleven bytes', '0880808080808080808080 01', 'a number has more than 10 bytes'],
    ['a length beyond the end', '0a05 00', 'field 1 ends after the message'],
    ['a length larger than any memory', '0affffffffffffffffff01', 'field 1 ends after the message'],
    ['the number 0', '0000', 'no field has the number 0'],
    ['a group', '0b0c', 'nothing has the kind 3'],
    ['half of a fixed number', '0d0000', 'field 1 ends after the message'],
    ['a number where a message belongs', '0801', 'field 1 is not a message'],
    ['a number where a text belongs', '0a020801', 'field 1 is not a string'],
    ['a text that is no UTF-8', '0a030a01ff', 'field 1 is not valid UTF-8'],
  ])('rejects an ack: %s', (_, text, message) => {
    expect(() => decodeAck(bytes(text))).toThrow(new ProtobufError(message))
  })

  test('is encoded by the stand-in with the same bytes', () => {
    expect(hex(encodeHello({ version: 1 }))).toBe('0801')
    expect(hex(encodeAck({ error: '' }))).toBe('0a00')
    expect(hex(encodeAck({ error: 'no way' }))).toBe('0a080a066e6f20776179')
  })
})
