import { packetText, parsePacket } from '@cni/types/packet'
import { expect, test } from 'vitest'
import { formOf, textOf } from './packet-form.ts'

test.each([
  'tcp 10.96.0.20:80 uid 1000',
  'tcp 10.244.1.5:8080 from 10.244.2.7:40000 in eth0',
  'udp [fd00::a]:53 from [fd00::5]:4000 uid 0 mark 0x539',
  'icmp 10.0.0.5 in eth0 out eth1 type 8 state NEW',
])('a form keeps the content of the text: %s', (text) => {
  expect(packetText(parsePacket(textOf(formOf(text))))).toBe(packetText(parsePacket(text)))
})

test('an invalid value stays as typed', () => {
  expect(textOf({ ...formOf('tcp 10.96.0.20:80'), to: '10.96.', port: 'x' })).toBe('tcp 10.96.:x')
})
