import { expect, test } from 'vitest'
import { rulesExample } from './examples.ts'
import { answerOwnRules } from './own-rules.ts'

const end = (text: string, packet: string) => {
  const found = answerOwnRules(text, packet)
  return found.kind === 'walk' ? [found.program, found.rules, found.walk.end.kind] : found.problem
}

test('a packet is traced through pasted rules of either program', () => {
  expect(end(rulesExample, 'tcp 10.96.0.20:80 uid 1000')).toEqual(['iptables-save', 7, 'out'])
  expect(end(rulesExample, 'tcp 10.96.0.20:81 uid 1000')).toEqual(['iptables-save', 7, 'proxy'])
  const nft = `# a comment\ntable ip nat {\n\tchain output {\n\t\ttype nat hook output priority dstnat; policy accept;\n\t\ttcp dport 80 redirect to :15001\n\t\tudp dport 53 drop\n\t}\n}\n`
  expect(end(nft, 'tcp 10.0.0.1:80')).toEqual(['nft list ruleset', 2, 'proxy'])
  expect(end(nft, 'udp 10.0.0.1:53')).toEqual(['nft list ruleset', 2, 'dropped'])
  expect(end('*filter\n-A OUTPUT -m recent --rcheck -j DROP\nCOMMIT\n', 'tcp 10.0.0.1:80')).toEqual([
    'iptables-save',
    1,
    'undecided',
  ])
})

test('invalid rules and packets give error messages', () => {
  expect(end('', 'tcp 10.0.0.1:80')).toMatch(/^Paste /)
  expect(end('hello', 'tcp 10.0.0.1:80')).toMatch(/line 1 of the ipv4 rules is not understood: hello/)
  expect(end('table inet {', 'tcp 10.0.0.1:80')).toMatch(/./)
  expect(end(rulesExample, 'tcp nowhere')).toMatch(/packet: "nowhere" is not an IP address/)
})

test('20 000 pasted rules are answered', () => {
  const many = Array.from(
    { length: 20_000 },
    (_, i) => `-A OUTPUT -d 10.${i >> 8}.${i & 255}.1/32 -p tcp -m tcp --dport 80 -j DROP`,
  )
  expect(end(`*filter\n:OUTPUT ACCEPT [0:0]\n${many.join('\n')}\nCOMMIT\n`, 'tcp 10.1.2.1:80')).toEqual([
    'iptables-save',
    20_000,
    'dropped',
  ])
})
