import { lengthDelimited, ProtobufError } from '@cni/types/protobuf'
import { describe, expect, test } from 'vitest'
import { statusResponse } from '../../test/stand-in-runtime.ts'
import { decodeStatus, statusRequest } from './status-message.ts'

const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('the request asks for a verbose answer', () => {
  expect(Buffer.from(statusRequest()).toString('hex')).toBe('0801')
})

test('an answer of containerd 1.6.20 is decoded', () => {
  const conditions = '0a24 0a10 0a0c52756e74696d655265616479 1001 0a10 0a0c4e6574776f726b5265616479 1001'
  const info = '1217 0a116c617374434e494c6f6164537461747573 12024f4b'
  expect(decodeStatus(bytes(conditions + info))).toEqual({
    conditions: [
      { type: 'RuntimeReady', status: true, reason: '', message: '' },
      { type: 'NetworkReady', status: true, reason: '', message: '' },
    ],
    info: new Map([['lastCNILoadStatus', 'OK']]),
  })
})

test('an unmet condition has a reason and a message', () => {
  const condition = { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady', message: 'no network' }
  expect(decodeStatus(statusResponse({ conditions: [condition] })).conditions).toEqual([condition])
})

test('unknown members are skipped: features, runtime handlers', () => {
  expect(decodeStatus(bytes('1a02 0801 2200 2a00 0a02 1200'))).toEqual({ conditions: [], info: new Map() })
})

describe('an invalid answer is rejected', () => {
  const many = (one: string) => bytes(one.repeat(101))
  test.each([
    ['a length beyond the end', bytes('0a05 00'), 'field 1 ends after the message'],
    ['a condition whose status is a text', bytes('0a05 0a03 120161'), 'field 2 is no boolean'],
    ['a condition that is a number', bytes('0a02 0801'), 'field 1 is not a message'],
    ['a text that is no UTF-8', bytes('1203 0a01ff'), 'field 1 is not valid UTF-8'],
    ['101 conditions', lengthDelimited(1, many('0a00')), 'there are more than 100 conditions'],
  ])('%s', (_, answer, message) => {
    expect(() => decodeStatus(answer)).toThrow(new ProtobufError(message))
  })

  test('101 members of the info', () => {
    const info = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`key-${index}`, '']))
    expect(() => decodeStatus(statusResponse({ info }))).toThrow('there are more than 100 members of the info')
  })
})
