import fc from 'fast-check'
import { Draft } from '../src/rules/draft.ts'
import type { Rule } from '../src/rules/model.ts'

const place = { table: 'nat', chain: 'A', own: new Set(['A', 'B']) } as const
const draft = () => new Draft(place)
const filter = () => new Draft({ ...place, table: 'filter' })
const raw = () => new Draft({ ...place, table: 'raw' })
const only4 = () => draft().only('ipv4')

/** Rule builder calls that take a string. `tokens` is the maximum number of tokens in the built rule. */
export const fields: Record<string, { readonly build: (text: string) => Rule; readonly tokens: number }> = {
  src: { build: (text) => only4().src(text).return(), tokens: 4 },
  dst: { build: (text) => only4().not.dst(text).return(), tokens: 5 },
  pair: { build: (text) => draft().dst({ ipv4: '10.0.0.1', ipv6: text }).return(), tokens: 4 },
  in: { build: (text) => draft().in(text).return(), tokens: 4 },
  out: { build: (text) => draft().not.out(text).return(), tokens: 5 },
  proto: {
    build: (text) =>
      draft()
        .proto(text as 'tcp')
        .return(),
    tokens: 4,
  },
  dport: {
    build: (text) =>
      draft()
        .proto('tcp')
        .dport(text as '1')
        .return(),
    tokens: 6,
  },
  dports: {
    build: (text) =>
      draft()
        .proto('tcp')
        .dports(text as '1', 2)
        .return(),
    tokens: 8,
  },
  uid: { build: (text) => draft().uid(text).return(), tokens: 6 },
  gid: { build: (text) => draft().not.gid(text).return(), tokens: 7 },
  ctstate: {
    build: (text) =>
      draft()
        .ctstate(text as 'NEW')
        .return(),
    tokens: 6,
  },
  dstType: {
    build: (text) =>
      draft()
        .dstType(text as 'LOCAL')
        .return(),
    tokens: 6,
  },
  comment: { build: (text) => draft().comment(text).return(), tokens: 6 },
  mark: {
    build: (text) =>
      draft()
        .mark(text as unknown as 1)
        .return(),
    tokens: 6,
  },
  redirect: { build: (text) => draft().proto('tcp').redirect(text), tokens: 6 },
  dnat: { build: (text) => only4().proto('tcp').dnat(text), tokens: 6 },
  log: { build: (text) => draft().log(text), tokens: 4 },
  pairName: { build: (text) => draft().set({ ipv4: text, ipv6: text }, 'src').return(), tokens: 7 },
  set: { build: (text) => only4().not.set(text, 'src', 'dst').return(), tokens: 8 },
  setDir: {
    build: (text) =>
      only4()
        .set('s', text as 'src')
        .return(),
    tokens: 7,
  },
  addSet: { build: (text) => only4().addSet(text, 'src', { exist: true }), tokens: 6 },
  delSetDir: { build: (text) => only4().delSet('s', [text as 'src']), tokens: 5 },
  srcRange: { build: (text) => only4().srcRange(text).return(), tokens: 6 },
  mac: { build: (text) => draft().mac(text).return(), tokens: 6 },
  pktType: {
    build: (text) =>
      draft()
        .pktType(text as 'unicast')
        .return(),
    tokens: 6,
  },
  limit: { build: (text) => draft().limit(text).return(), tokens: 6 },
  limitBurst: {
    build: (text) =>
      draft()
        .limit('1/sec', text as unknown as 1)
        .return(),
    tokens: 8,
  },
  state: {
    build: (text) =>
      draft()
        .state(text as 'NEW')
        .return(),
    tokens: 6,
  },
  icmpType: { build: (text) => only4().proto('icmp').icmpType(text).return(), tokens: 6 },
  tcpMask: {
    build: (text) =>
      draft()
        .proto('tcp')
        .tcpFlags([text as 'SYN'], [])
        .return(),
    tokens: 7,
  },
  tcpMaskWord: {
    build: (text) =>
      draft()
        .proto('tcp')
        .tcpFlags(text as 'ALL', 'NONE')
        .return(),
    tokens: 7,
  },
  tcpSet: {
    build: (text) =>
      draft()
        .proto('tcp')
        .tcpFlags('ALL', text as 'NONE')
        .return(),
    tokens: 7,
  },
  probability: {
    build: (text) =>
      draft()
        .statistic({ probability: text as unknown as 1 })
        .return(),
    tokens: 8,
  },
  every: {
    build: (text) =>
      draft()
        .statistic({ every: text as unknown as 1 })
        .return(),
    tokens: 10,
  },
  logLevel: { build: (text) => draft().log({ level: text as 'debug' }), tokens: 4 },
  logPrefix: { build: (text) => draft().log({ prefix: text, uid: true }), tokens: 5 },
  nflogPrefix: { build: (text) => draft().nflog({ prefix: text, group: 1 }), tokens: 6 },
  nflogGroup: { build: (text) => draft().nflog({ group: text as unknown as 1 }), tokens: 4 },
  masquerade: {
    build: (text) =>
      draft()
        .proto('tcp')
        .masquerade({ ports: text as `1-2` }),
    tokens: 6,
  },
  snat: { build: (text) => only4().proto('tcp').snat(text, { random: true }), tokens: 7 },
  setMss: {
    build: (text) =>
      filter()
        .proto('tcp')
        .syn()
        .setMss(text as unknown as 1),
    tokens: 7,
  },
  reject: { build: (text) => filter().only('ipv4').reject(text), tokens: 4 },
  ctHelper: { build: (text) => raw().proto('tcp').ct({ helper: text }), tokens: 6 },
  ctEvents: { build: (text) => raw().ct({ ctevents: [text as 'new'] }), tokens: 4 },
  ctZone: { build: (text) => raw().ct({ zone: text as 'mark' }), tokens: 4 },
  xmark: { build: (text) => draft().setXmark(text as unknown as 1), tokens: 4 },
  jump: { build: (text) => draft().jump(text), tokens: 2 },
  rawValue: { build: (text) => draft().raw('-m', 'string', '--string', text).return(), tokens: 6 },
  rawOption: { build: (text) => draft().raw('-m', 'owner', text).return(), tokens: 5 },
  rawMatch: { build: (text) => draft().raw('-m', text).return(), tokens: 4 },
  rawTarget: { build: (text) => draft().rawTarget(text), tokens: 2 },
  rawTargetValue: { build: (text) => draft().rawTarget('NFLOG', '--nflog-prefix', text), tokens: 4 },
}

/** Random strings that, unquoted, would inject further tokens or lines into a rule's text. */
export const evil = fc.oneof(
  fc.constantFrom(
    ...['-j ACCEPT', '1 -j ACCEPT', '-j', '-jACCEPT', '--jump=ACCEPT', '!', '"', '"" -j ACCEPT', 'x" -j "ACCEPT', '\\'],
    ...['\n', '80\n', 'a\nCOMMIT\n*filter\n-F', '\r', '\0', '\u2028', '*nat', '#x', '-t filter', '-A', '--append', "'"],
    ...[
      '10.0.0.0/8 -j ACCEPT',
      '10.0.0.1\t-j\tACCEPT',
      'lo -j ACCEPT',
      '',
      ' ',
      '--app',
      '-4',
      '-m',
      '--',
      '-',
      '$(id)',
    ],
    ...[
      '80;',
      '$(reboot)',
      '# comment',
      'x'.repeat(5000),
      'src,dst -j ACCEPT',
      '3/min -j ACCEPT',
      '--log-uid',
      '0x50',
      '1e3',
      '+5',
      ' 80',
      '08',
      '٣',
      '１',
      '10.0.0.1/08',
      '010.0.0.1',
      '::1%lo',
      'eth0\u00a0',
      '-N',
      '-X',
    ],
  ),
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.string({ unit: fc.constantFrom('"', '\\', ' ', '\n', '\t', "'", '-', 'j', '!', 'A', '1', '#', '*', ':') }),
)
