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

  test('a family without rules has an empty text', () => {
    const rules = ruleset({ nat: ['A'] }, (t) => [t.nat.on('A').only('ipv4').return()])
    expect(restoreText(rules, 'ipv6')).toBe('')
  })

  test('a rule with too many tokens is refused: iptables-restore would split it', () => {
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

  test('manipulated data cannot add a line', () => {
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
    t.mangle.on('A').only('ipv4').proto('tcp').tproxy({ port: 1, on: '127.0.0.1', mark: 1024, mask: 0xfff }),
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
    '-p tcp -j TPROXY --tproxy-mark 1024/0xfff --on-port 1 --on-ip 127.0.0.1',
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

test('ruleArgs prints the conditions and targets of extensions', () => {
  const sets = { ipv4: 's4', ipv6: 's6' }
  const range = { ipv4: '10.0.0.1-10.0.0.9', ipv6: 'fd00::1-fd00::9' }
  const rules = ruleset({ nat: ['A', 'P'], mangle: ['A'], raw: ['A'], filter: ['A'] }, (t) => [
    t.filter.on('A').only('ipv4').proto('icmp').icmpType('echo-request').accept(),
    t.filter.on('A').only('ipv4').proto('icmp').not.icmpType('3/1').reject('icmp-admin-prohibited'),
    t.filter.on('A').state('NEW', 'RELATED').limit('3/min', 7).log({ prefix: 'a b', level: 'debug', uid: true }),
    t.filter.on('A').socket().nflog({ group: 7, prefix: 'p', size: 100, threshold: 20 }),
    t.filter.on('A').socket({ nowildcard: true, transparent: true, restoreSkmark: true }).drop(),
    t.filter.on('A').not.set(sets, 'src', 'dst').addSet(sets, 'src', { exist: true, timeoutSeconds: 60 }),
    t.filter.on('A').mac('02:00:00:00:00:01').pktType('broadcast').delSet(sets, ['src', 'dst']),
    t.filter
      .on('A')
      .srcRange(range)
      .not.dstRange(range)
      .reject({ ipv4: 'icmp-net-prohibited', ipv6: 'icmp6-no-route' }),
    t.mangle
      .on('A')
      .statistic({ probability: 1 / 3 })
      .andMark(5),
    t.mangle.on('A').not.statistic({ every: 3, packet: 2 }).orMark(5),
    t.mangle.on('A').proto('tcp').tcpFlags(['SYN', 'RST'], ['SYN']).clampMssToPmtu(),
    t.mangle.on('A').proto('tcp').syn().setMss(1400),
    t.mangle.on('A').proto('tcp').not.tcpFlags('ALL', 'NONE').setXmark(5, 7),
    t.mangle.on('A').xorConnmark(5),
    t.raw
      .on('A')
      .proto('tcp')
      .ct({ helper: 'ftp', ctevents: ['new', 'destroy'], zoneOrig: 'mark' }),
    t.nat.on('P').proto('udp').masquerade({ ports: '100-200', random: true, randomFully: true }),
    t.nat.on('P').snat(range, { persistent: true }),
    t.nat.on('A').dnat({ ipv4: '10.0.0.1', ipv6: 'fd00::1' }, { random: true, persistent: true }),
    t.nat.on('A').redirect(undefined, { random: true }),
  ])
  expect(rules.rules.map((rule) => ruleArgs(rule, 'ipv4').join(' '))).toEqual([
    '-p icmp --icmp-type echo-request -j ACCEPT',
    '-p icmp ! --icmp-type 3/1 -j REJECT --reject-with icmp-admin-prohibited',
    '-m state --state NEW,RELATED -m limit --limit 3/min --limit-burst 7 -j LOG --log-prefix a b --log-level debug --log-uid',
    '-m socket -j NFLOG --nflog-group 7 --nflog-prefix p --nflog-size 100 --nflog-threshold 20',
    '-m socket --transparent --nowildcard --restore-skmark -j DROP',
    '-m set ! --match-set s4 src,dst -j SET --add-set s4 src --exist --timeout 60',
    '-m mac --mac-source 02:00:00:00:00:01 -m pkttype --pkt-type broadcast -j SET --del-set s4 src,dst',
    '-m iprange --src-range 10.0.0.1-10.0.0.9 -m iprange ! --dst-range 10.0.0.1-10.0.0.9 -j REJECT --reject-with icmp-net-prohibited',
    '-m statistic --mode random --probability 0.33333333333 -j MARK --and-mark 0x5',
    '-m statistic --mode nth ! --every 3 --packet 2 -j MARK --or-mark 0x5',
    '-p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu',
    '-p tcp --syn -j TCPMSS --set-mss 1400',
    '-p tcp ! --tcp-flags FIN,SYN,RST,PSH,ACK,URG NONE -j MARK --set-xmark 5/0x7',
    '-j CONNMARK --xor-mark 0x5',
    '-p tcp -j CT --helper ftp --ctevents new,destroy --zone-orig mark',
    '-p udp -j MASQUERADE --to-ports 100-200 --random --random-fully',
    '-j SNAT --to-source 10.0.0.1-10.0.0.9 --persistent',
    '-j DNAT --to-destination 10.0.0.1 --random --persistent',
    '-j REDIRECT --random',
  ])
})
