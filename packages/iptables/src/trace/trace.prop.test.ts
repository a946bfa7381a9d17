import type { Packet } from '@cni/types/packet'
import { packetText, parsePacket } from '@cni/types/packet'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyRuleset } from '../../test/random/arbitraries.ts'
import { parseSave } from '../parse/saved-tables.ts'
import { explain } from './explain.ts'
import { trace } from './trace.ts'

const id = fc.integer({ min: 0, max: 0xffffffff })
const port = fc.integer({ min: 0, max: 65535 })
const packets: fc.Arbitrary<Packet> = fc.constantFrom(fc.ipV4(), fc.ipV6()).chain((address) =>
  fc.record(
    {
      protocol: fc.constantFrom('tcp', 'udp', 'icmp', '132'),
      dst: address,
      src: address,
      dport: port,
      in: fc.constantFrom('lo', 'eth0'),
      out: fc.constantFrom('lo', 'eth0'),
      uid: id,
      gid: id,
      mark: id,
      connmark: id,
      state: fc.constantFrom('NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED'),
      tcpFlags: fc.uniqueArray(fc.constantFrom('FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG')),
      icmp: fc.constantFrom<readonly [number, number?]>([8], [3, 1], [128, 0]),
      mac: fc.constant('02:00:00:00:00:01'),
      packetType: fc.constantFrom('unicast', 'broadcast', 'multicast'),
      socket: fc.constantFrom('none', 'plain', 'transparent'),
      local: fc.array(address, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['protocol', 'dst'] },
  ),
)

const verdicts = ['ACCEPT', 'DROP', 'REJECT', 'undecided']

test('every trace of any packet through any ruleset ends and can be explained', () => {
  fc.assert(
    fc.property(anyRuleset, packets, (rules, packet) => {
      const found = trace(rules, packet)
      expect(verdicts).toContain(found.verdict)
      expect(explain(found)).toContain(found.verdict)
      expect(explain(found, { format: 'mermaid' })).toContain(found.verdict)
      expect(found.reason === '').toBe(found.verdict === 'ACCEPT')
    }),
  )
})

test('loops of jumps and gotos, and chains that double at each step, end', () => {
  const chain = fc.constantFrom('OUTPUT', 'A', 'B', 'C')
  const rule = fc
    .tuple(chain, fc.constantFrom('-j', '-g'), fc.constantFrom('A', 'B', 'C', 'RETURN', 'ACCEPT', 'LOG', 'NONE'))
    .map((words) => `-A ${words.join(' ')}`)
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 30 }), packets, (rules, packet) => {
      const family = packet.dst.includes(':') ? 'ipv6' : 'ipv4'
      const text = `*filter\n:OUTPUT ACCEPT [0:0]\n:A - [0:0]\n:B - [0:0]\n:C - [0:0]\n${rules.join('\n')}\nCOMMIT\n`
      const found = trace(parseSave(text, family), packet)
      expect(verdicts).toContain(found.verdict)
      expect(found.path.length).toBeLessThanOrEqual(10_000)
    }),
  )
})

test('no comment breaks out of a line of text or a label of the flowchart', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (comment) => {
      fc.pre(!/[\n\r]/.test(comment) && comment.trim() !== '')
      const quoted = comment.replace(/["\\']/g, (char) => `\\${char}`)
      const found = trace(
        parseSave(`*raw\n-A OUTPUT -m comment --comment "${quoted}" -j DROP\n`, 'ipv4'),
        'tcp 10.0.0.1:80',
      )
      expect(explain(found).split('\n')).toHaveLength(5)
      expect(explain(found)).not.toMatch(/[\p{Cf}\u2028]|(?!\n)\p{Cc}/u)
      const [, , , rule] = explain(found, { format: 'mermaid' }).split('\n')
      expect(rule).toMatch(/^ {4}r0\["[\w ./:,=!→·()#;-]*"\]$/)
    }),
  )
})

test('a printed packet parses to the same packet', () => {
  fc.assert(
    fc.property(packets, (packet) => {
      const { sport: _, ...kept } = packet
      expect(parsePacket(packetText(kept))).toEqual(kept)
    }),
  )
})
