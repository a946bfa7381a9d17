import { ruleset } from '../src/rules/ruleset.ts'

const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

/** Ruleset with all matches and targets of a typical transparent proxy. */
export const rules = ruleset(
  { mangle: ['EX_DIVERT', 'EX_TPROXY', 'EX_IN'], nat: ['EX_OUTPUT', 'EX_REDIRECT'], raw: ['EX_DNS'] },
  (t) => [
    t.nat.on('PREROUTING').in('eth9').return(),
    t.nat.insert('PREROUTING', 1).in('net1').jump('EX_REDIRECT'),
    t.mangle.on('EX_DIVERT').setMark(1337),
    t.mangle.on('EX_DIVERT').accept(),
    t.mangle.on('EX_TPROXY').not.dst(loopback).proto('tcp').tproxy({ port: 15006, mark: 1337, mask: 0xffffffff }),
    t.mangle.on('PREROUTING').proto('tcp').jump('EX_IN'),
    t.mangle.on('PREROUTING').proto('tcp').mark(1337).saveMark(),
    t.mangle.on('EX_IN').proto('tcp').dport(8080).ctstate('RELATED', 'ESTABLISHED').jump('EX_DIVERT'),
    t.mangle.on('EX_IN').proto('tcp').jump('EX_TPROXY'),
    t.mangle.insert('EX_IN', 1).proto('tcp').in('lo').not.mark(1338).return(),
    t.mangle.on('OUTPUT').proto('tcp').connmark(1337).restoreMark(),
    t.nat.on('OUTPUT').jump('EX_OUTPUT'),
    t.nat.on('EX_OUTPUT').out('lo').not.dst(loopback).proto('tcp').not.dports(53, 15008).uid(1337).jump('EX_REDIRECT'),
    t.nat.on('EX_OUTPUT').not.gid(202).not.gid(203).return(),
    t.nat.on('EX_OUTPUT').only('ipv4').dst('10.1.2.3/8').return(),
    t.nat.on('EX_OUTPUT').uid('root').comment('as "root"').return(),
    t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
    t.raw.on('OUTPUT').proto('udp').dport(53).jump('EX_DNS'),
    t.raw.on('EX_DNS').proto('udp').dport(53).uid(1337).ctZone(1),
  ],
)
