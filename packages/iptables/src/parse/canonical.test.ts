import { describe, expect, test } from 'vitest'
import type { Family } from '../rules/model.ts'
import { canonical } from './canonical.ts'
import { tokenize } from './tokenize.ts'

const key = (text: string, family: Family = 'ipv4') => canonical(tokenize(text), family).key

/** As it is written, and as iptables-save 1.8.9 prints it. */
const printed: [string, string, Family?][] = [
  ['-p tcp --dport 80 -j A', '-p tcp -m tcp --dport 80 -j A'],
  ['-p 6 -j A', '-p tcp -j A'],
  ['-p all -j A', '-j A'],
  ['-p icmpv6 -j A', '-p ipv6-icmp -j A', 'ipv6'],
  ['-p tcp --dport 2 -m tcp --sport 1 -j A', '-p tcp -m tcp --sport 1 --dport 2 -j A'],
  ['-p tcp --dport :5 -j A', '-p tcp -m tcp --dport 0:5 -j A'],
  ['-p tcp --dport 5: -j A', '-p tcp -m tcp --dport 5:65535 -j A'],
  ['-p tcp --dport 0:65535 -j A', '-p tcp -m tcp -j A'],
  ['-p tcp -m tcp -j A', '-p tcp -j A'],
  ['-p tcp --syn -j A', '-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN -j A'],
  ['-p tcp ! --syn -j A', '-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN -j A'],
  ['-o lo ! -d 127.0.0.1/32 -p tcp ! --dport 15008 -j A', '! -d 127.0.0.1/32 -o lo -p tcp -m tcp ! --dport 15008 -j A'],
  ['-d 10.1.2.3/8 -j A', '-d 10.0.0.0/8 -j A'],
  ['-d 10.1.2.3/255.0.0.0 -j A', '-d 10.0.0.0/8 -j A'],
  ['-d 10.1.2.3 -j A', '-d 10.1.2.3/32 -j A'],
  ['-s 0.0.0.0/0 -d 0.0.0.0/0 -j A', '-j A'],
  ['-s ::/0 -j A', '-j A', 'ipv6'],
  ['-s FD00:0:0::5/64 -j A', '-s fd00::/64 -j A', 'ipv6'],
  ['-s 2001:db8:0:1:0:0:0:1 -j A', '-s 2001:db8:0:1::1/128 -j A', 'ipv6'],
  ['-s ::ffff:10.0.0.5/120 -j A', '-s ::ffff:a00:0/120 -j A', 'ipv6'],
  ['-s ::127.0.0.53 -j A', '-s ::7f00:35/128 -j A', 'ipv6'],
  ['-i + -j A', '-j A'],
  ['-m multiport ! --dports 53,15008 -j A', '-m multiport ! --dports 53,15008 -j A'],
  ['-m owner --gid-owner 8 --uid-owner 7 -j A', '-m owner --uid-owner 7 -m owner --gid-owner 8 -j A'],
  ['-m owner --uid-owner root -j A', '-m owner --uid-owner 0 -j A'],
  ['-m owner --uid-owner 5-5 -j A', '-m owner --uid-owner 5 -j A'],
  ['-m mark --mark 1337 -j A', '-m mark --mark 0x539 -j A'],
  ['-m mark ! --mark 1/0xf -j A', '-m mark ! --mark 0x1/0xf -j A'],
  ['-m connmark --mark 0x539/0xffffffff -j A', '-m connmark --mark 0x539 -j A'],
  ['-m conntrack --ctstate ESTABLISHED,RELATED -j A', '-m conntrack --ctstate RELATED,ESTABLISHED -j A'],
  [
    '-m addrtype ! --dst-type LOCAL,UNICAST --src-type LOCAL -j A',
    '-m addrtype --src-type LOCAL ! --dst-type UNICAST,LOCAL -j A',
  ],
  ['-m mac --mac-source 00:11:22:AA:bb:CC -j A', '-m mac --mac-source 00:11:22:aa:bb:cc -j A'],
  ['-m comment --comment "a b" -p tcp -j A', '-p tcp -m comment --comment "a b" -j A'],
  [`-m comment --comment "a'b" -j A`, String.raw`-m comment --comment "a\'b" -j A`],
  ['-m comment --comment "-j" -j A', '-m comment --comment -j -j A'],
  ['-j MARK --set-mark 1337', '-j MARK --set-xmark 0x539/0xffffffff'],
  ['-j MARK --set-mark 1/0xff', '-j MARK --set-xmark 0x1/0xff'],
  ['-j MARK --set-mark 0x100/0xff', '-j MARK --set-xmark 0x100/0x1ff'],
  ['-j MARK --or-mark 4', '-j MARK --set-xmark 0x4/0x4'],
  ['-j MARK --and-mark 4', '-j MARK --set-xmark 0x0/0xfffffffb'],
  ['-j MARK --xor-mark 4', '-j MARK --set-xmark 0x4/0x0'],
  ['-j CONNMARK --set-mark 5', '-j CONNMARK --set-xmark 0x5/0xffffffff'],
  ['-j CONNMARK --save-mark', '-j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff'],
  ['-j CONNMARK --restore-mark --mask 0xff', '-j CONNMARK --restore-mark --nfmask 0xff --ctmask 0xff'],
  [
    '-p tcp -j TPROXY --tproxy-mark 1337/0xffffffff --on-port 15006',
    '-p tcp -j TPROXY --on-port 15006 --on-ip 0.0.0.0 --tproxy-mark 0x539/0xffffffff',
  ],
  [
    '-p tcp -j TPROXY --tproxy-mark 1337 --on-port 1',
    '-p tcp -j TPROXY --on-port 1 --on-ip :: --tproxy-mark 0x539/0xffffffff',
    'ipv6',
  ],
  ['-p udp -j TPROXY --on-port 1', '-p udp -j TPROXY --on-port 1 --on-ip 0.0.0.0 --tproxy-mark 0x0/0x0'],
  ['-p udp --dport 53 -j REDIRECT --to-port 15053', '-p udp -m udp --dport 53 -j REDIRECT --to-ports 15053'],
  ['-p tcp -j REDIRECT --to-ports 5-5', '-p tcp -j REDIRECT --to-ports 5'],
  ['-p tcp -j DNAT --to-destination [FD00:0::1]:80', '-p tcp -j DNAT --to-destination [fd00::1]:80', 'ipv6'],
  ['-j CT --zone 0x10', '-j CT --zone 16'],
  ['-j CT --zone 0', '-j CT'],
  ['-j NOTRACK', '-j CT --notrack'],
  ['-j REJECT', '-j REJECT --reject-with icmp-port-unreachable'],
  ['-j REJECT', '-j REJECT --reject-with icmp6-port-unreachable', 'ipv6'],
  ['-j LOG --log-prefix "hi there "', '-j LOG --log-prefix "hi there "'],
  ['--protocol tcp --destination-port 80 --jump A', '-p tcp -m tcp --dport 80 -j A'],
]

describe('a rule means the same however it is written', () => {
  test.for(printed)('%s = %s', ([written, saved, family = 'ipv4']) => {
    expect(key(written, family)).toBe(key(saved, family))
  })
})

describe('rules that mean something else stay different', () => {
  test.for<[string, string]>([
    ['-p tcp --dport 80 -j A', '-p tcp --sport 80 -j A'],
    ['-p tcp --dport 80 -j A', '-p tcp ! --dport 80 -j A'],
    ['-p tcp --dport 80 -j A', '-p udp --dport 80 -j A'],
    ['-p tcp --dport 80 -j A', '-p tcp --dport 80 -j B'],
    ['-p tcp --dport 80 -j A', '-p tcp --dport 80 -g A'],
    ['-p tcp -j A', '! -p tcp -j A'],
    ['-d 10.0.0.0/8 -j A', '-d 10.0.0.0/9 -j A'],
    ['-d 10.0.0.0/8 -j A', '-s 10.0.0.0/8 -j A'],
    ['! -s 0.0.0.0/0 -j A', '-j A'],
    ['-m mark --mark 1 -j A', '-m connmark --mark 1 -j A'],
    ['-m mark --mark 1 -j A', '-m mark --mark 1/1 -j A'],
    ['-m owner --uid-owner 1 -j A', '-m owner --gid-owner 1 -j A'],
    ['-m owner ! --gid-owner 1 -j A', '-m owner ! --gid-owner 1 -m owner ! --gid-owner 2 -j A'],
    ['-m comment --comment a -j A', '-m comment --comment b -j A'],
    ['-m comment --comment "-j B" -j A', '-j B'],
    ['-m socket -j A', '-j A'],
    ['-m limit --limit 3/min -p tcp -m mark --mark 1 -j A', '-m mark --mark 1 -m limit --limit 3/min -p udp -j A'],
    ['-m limit --limit 3/min -m mark --mark 1 -j A', '-m mark --mark 1 -m limit --limit 3/min -j A'],
    ['-j MARK --set-mark 1', '-j MARK --set-mark 2'],
    ['-j CONNMARK --save-mark', '-j CONNMARK --restore-mark'],
    ['-j CT --zone 1', '-j CT --zone 2'],
    ['', '-j A'],
  ])('%s ≠ %s', ([one, other]) => {
    expect(key(one)).not.toBe(key(other))
  })
})

test('the canonical form is structured: conditions, target, target options', () => {
  expect(canonical(tokenize('-p udp ! --dport 53 -j REDIRECT --to-ports 1'), 'ipv4')).toMatchObject({
    conditions: [
      { module: '', option: 'p', not: false, values: ['17'] },
      { module: 'udp', option: 'dport', not: true, values: ['53'] },
    ],
    target: 'REDIRECT',
    goto: false,
    targetOptions: ['to-ports 1'],
  })
})
