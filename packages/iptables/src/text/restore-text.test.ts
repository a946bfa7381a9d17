import { describe, expect, test } from 'vitest'
import { ruleset } from '../rules/ruleset.ts'
import { restoreText } from './restore-text.ts'
import { ruleArgs } from './rule-args.ts'

const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

describe('restoreText', () => {
  test('prints tables by name, own chains with -N, rules in the author’s order', () => {
    const rules = ruleset({ nat: ['EX_OUTPUT', 'EX_REDIRECT'], mangle: ['EX_MARK'], filter: ['EX_UNUSED'] }, (t) => [
      t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
      t.nat.on('EX_OUTPUT').uid(1337).return(),
      t.mangle.on('EX_MARK').setMark(1337),
      t.nat.insert('PREROUTING', 1).in('net1').return(),
      t.nat.on('EX_OUTPUT').not.dst(loopback).jump('EX_REDIRECT'),
      t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
    ])
    expect(restoreText(rules, 'ipv6')).toBe(`*mangle
-N EX_MARK
-A EX_MARK -j MARK --set-mark 1337
COMMIT
*nat
-N EX_OUTPUT
-N EX_REDIRECT
-A OUTPUT -p tcp -j EX_OUTPUT
-A EX_OUTPUT -m owner --uid-owner 1337 -j RETURN
-I PREROUTING 1 -i net1 -j RETURN
-A EX_OUTPUT ! -d ::1/128 -j EX_REDIRECT
-A EX_REDIRECT -p tcp -j REDIRECT --to-ports 15001
COMMIT
`)
  })

  test('a family without rules has no text', () => {
    const rules = ruleset({ nat: ['A'] }, (t) => [t.nat.on('A').only('ipv4').return()])
    expect(restoreText(rules, 'ipv6')).toBe('')
  })

  test('a rule with too many tokens is refused before iptables-restore would cut it in two', () => {
    expect(() =>
      ruleset({ nat: ['A'] }, (t) => {
        const rule = Array.from({ length: 70 }).reduce<ReturnType<typeof t.nat.on>>(
          (each) => each.not.gid(1),
          t.nat.on('A'),
        )
        const rules = { chains: [{ table: 'nat' as const, name: 'A' }], rules: [rule.return()] }
        restoreText(rules, 'ipv4')
        return []
      }),
    ).toThrow(/a rule of 352 tokens .* is too long/)
  })

  test('data that was tampered with cannot add a line', () => {
    const rules = ruleset({ nat: ['A'] }, (t) => [t.nat.on('A').comment('x').return()])
    const text = JSON.stringify(rules).replace('"x"', '"x\\nCOMMIT"')
    expect(() => restoreText(JSON.parse(text), 'ipv4')).toThrow(/control characters/)
  })
})

test('ruleArgs prints every condition and target in the author’s order', () => {
  const rules = ruleset({ nat: ['A', 'B'], mangle: ['A'], raw: ['A'], filter: ['A'] }, (t) => [
    t.nat.on('A').out('lo').not.dst(loopback).proto('tcp').not.dport(15008).uid(1337).jump('B'),
    t.nat.on('A').out('lo').not.dst(loopback).proto('tcp').not.dports(53, 15008).uid(1337).goto('B'),
    t.nat.on('A').not.gid(202).not.gid('java').return(),
    t.nat.on('A').only('ipv4').proto('udp').sport('1000:2000').src('10.0.0.0/8').redirect('80-90'),
    t.nat.on('A').proto('tcp').sports(1, '2:3').dnat({ ipv4: '10.0.0.1:80', ipv6: '[fd00::1]:80' }),
    t.mangle.on('A').ctstate('RELATED', 'ESTABLISHED').not.mark(1338).drop(),
    t.mangle.on('A').not.dst(loopback).proto('tcp').tproxy({ port: 15006, mark: 1337, mask: 0xffffffff }),
    t.mangle.on('A').proto('tcp').mark(1337).saveMark(),
    t.mangle.on('A').connmark(1, 0xff).restoreMark(0xff),
    t.mangle.on('A').comment('two words').setConnmark(5),
    t.raw.on('A').proto('udp').dport(53).ctZone(1),
    t.raw.on('A').dstType('LOCAL').notrack(),
    t.filter.on('A').proto('tcp').reject('tcp-reset'),
    t.filter.on('A').raw('-m', 'limit', '--limit', '3/min').log('hi '),
    t.filter.on('A').in('eth+').socketExists().rawTarget('NFLOG', '--nflog-group', '5'),
    t.filter.on('A').count(),
  ])
  expect(rules.rules.map((rule) => ruleArgs(rule, 'ipv4').join(' '))).toEqual([
    '-o lo ! -d 127.0.0.1/32 -p tcp ! --dport 15008 -m owner --uid-owner 1337 -j B',
    '-o lo ! -d 127.0.0.1/32 -p tcp -m multiport ! --dports 53,15008 -m owner --uid-owner 1337 -g B',
    '-m owner ! --gid-owner 202 -m owner ! --gid-owner java -j RETURN',
    '-p udp --sport 1000:2000 -s 10.0.0.0/8 -j REDIRECT --to-ports 80-90',
    '-p tcp -m multiport --sports 1,2:3 -j DNAT --to-destination 10.0.0.1:80',
    '-m conntrack --ctstate RELATED,ESTABLISHED -m mark ! --mark 1338 -j DROP',
    '! -d 127.0.0.1/32 -p tcp -j TPROXY --tproxy-mark 1337/0xffffffff --on-port 15006',
    '-p tcp -m mark --mark 1337 -j CONNMARK --save-mark',
    '-m connmark --mark 1/0xff -j CONNMARK --restore-mark --mask 0xff',
    '-m comment --comment two words -j CONNMARK --set-mark 5',
    '-p udp --dport 53 -j CT --zone 1',
    '-m addrtype --dst-type LOCAL -j CT --notrack',
    '-p tcp -j REJECT --reject-with tcp-reset',
    '-m limit --limit 3/min -j LOG --log-prefix hi ',
    '-i eth+ -m owner --socket-exists -j NFLOG --nflog-group 5',
    '',
  ])
})
