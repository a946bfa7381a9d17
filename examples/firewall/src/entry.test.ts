import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Entry, parseEntry } from './entry.ts'

describe('an entry', () => {
  it.each<[string, Entry]>([
    ['tcp', { protocol: 'tcp' }],
    ['tcp 80', { protocol: 'tcp', ports: 80 }],
    ['udp 8000-8080', { protocol: 'udp', ports: '8000:8080' }],
    ['icmp from fd00::/8', { protocol: 'icmp', from: { family: 'ipv6', network: 'fd00::/8' } }],
    ['tcp 22 from 10.0.0.1', { protocol: 'tcp', ports: 22, from: { family: 'ipv4', network: '10.0.0.1' } }],
  ])('%j is parsed completely', (text, entry) => expect(parseEntry(text)).toEqual(entry))

  it.each([
    ...['', 'sctp 80', 'icmp 8', 'tcp 0', 'tcp 65536', 'tcp 90-80', 'tcp 80-', 'TCP 80', 'tcp  80', 'tcp 80 '],
    ...['tcp 80 from', 'tcp 80 from web-0', 'tcp 80 from 10.0.0.0/33', 'tcp 80 from 010.0.0.1', 'tcp 80\n-j ACCEPT'],
  ])('%j is invalid', (text) => expect(parseEntry(text)).toBeUndefined())

  it('contains only ports and addresses, for any text', () => {
    const words = fc.constantFrom('tcp', 'udp', 'icmp', 'from', '80', '1-70000', '10.0.0.0/8', '::1', '-j', '\n', ' ')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((list) => list.join(' ')),
        ),
        (text) => {
          const { ports = 1, from } = parseEntry(text) ?? {}
          expect(`${ports}`).toMatch(/^[1-9]\d*(:[1-9]\d*)?$/)
          expect(from?.network ?? '::1').toMatch(/^[\da-fA-F.:]+(\/\d+)?$/)
        },
      ),
    )
  })
})
