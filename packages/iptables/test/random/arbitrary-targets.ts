import fc from 'fast-check'
import type { Draft } from '../../src/rules/draft.ts'
import type { Rule } from '../../src/rules/model.ts'
import type { RuleWords } from '../../src/rules/rule-words.ts'
import type { LogTargetLevel } from '../../src/rules/target-options.ts'
import { mark, rangePair, setDirs, setPair } from './arbitrary-conditions.ts'

/** Function that ends a random rule with a target. */
export type End = (draft: Draft) => Rule

const end = <V>(values: fc.Arbitrary<V>, finish: (draft: Draft, value: V) => Rule): fc.Arbitrary<End> =>
  values.map((value) => (draft) => finish(draft, value))

const prefix = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 29 })
  .filter((text) => text.trim() !== '' && !/\p{Cc}/u.test(text))
const optional = <V>(values: fc.Arbitrary<V>) => fc.option(values, { nil: undefined })
const flag = fc.boolean()
const bits = fc.integer({ min: 0, max: 0xffffffff })
const portRange = fc
  .tuple(fc.integer({ min: 1, max: 65535 }), fc.integer({ min: 1, max: 65535 }))
  .map(([a, b]): `${number}-${number}` => `${Math.min(a, b)}-${Math.max(a, b)}`)
const natPair = fc
  .tuple(rangePair, optional(portRange))
  .map(([{ ipv4, ipv6 }, ports]) =>
    ports === undefined ? { ipv4, ipv6 } : { ipv4: `${ipv4}:${ports}`, ipv6: `[${ipv6}]:${ports}` },
  )

/** Omits options that are `undefined`: the types of the rule builder do not allow them. */
const given = <T extends object>(options: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T

const loopback = { ipv4: '127.0.0.1', ipv6: '::1' }

const everywhere: fc.Arbitrary<End> = fc.oneof(
  end(mark, (d, [value, mask]) => d.setMark(value, mask)),
  end(mark, (d, [value, mask]) => d.setXmark(value, mask)),
  end(mark, (d, [value, mask]) => d.setConnmark(value, mask)),
  end(mark, (d, [value, mask]) => d.setXconnmark(value, mask)),
  end(bits, (d, value) => d.andMark(value)),
  end(bits, (d, value) => d.orMark(value)),
  end(bits, (d, value) => d.xorMark(value)),
  end(bits, (d, value) => d.andConnmark(value)),
  end(bits, (d, value) => d.orConnmark(value)),
  end(bits, (d, value) => d.xorConnmark(value)),
  end(setDirs, (d, dirs) => d.delSet(setPair, dirs)),
  end(fc.tuple(setDirs, optional(fc.nat(100)), flag), (d, [dirs, timeoutSeconds, exist]) =>
    d.addSet(setPair, dirs, given({ timeoutSeconds, exist })),
  ),
  end(
    fc.record({
      prefix: optional(prefix),
      level: optional(fc.oneof(fc.nat(7), fc.constantFrom<LogTargetLevel>('emerg', 'warning', 'error', 'debug'))),
      tcpSequence: flag,
      tcpOptions: flag,
      ipOptions: flag,
      uid: flag,
      macdecode: flag,
    }),
    (d, options) => d.log(given(options)),
  ),
  end(
    fc.record({
      group: optional(fc.nat(65535)),
      prefix: optional(prefix),
      size: optional(bits),
      threshold: optional(fc.integer({ min: 1, max: 65535 })),
    }),
    (d, options) => d.nflog(given(options)),
  ),
  fc.constantFrom<End>(
    (d) => d.accept(),
    (d) => d.return(),
    (d) => d.saveMark(),
    (d) => d.restoreMark(0xff),
    (d) => d.count(),
  ),
)

const mss: fc.Arbitrary<End> = fc.oneof(
  end(fc.nat(65_495), (d, size) => d.proto('tcp').syn().setMss(size)),
  end(fc.nat(65_495), (d, size) => d.proto('tcp').tcpFlags(['SYN', 'RST'], ['SYN']).setMss(size)),
)

const reject = end(
  fc.record({
    ipv4: fc.constantFrom<RuleWords['rejection']['ipv4']>(
      'icmp-net-unreachable',
      'icmp-proto-unreachable',
      'icmp-admin-prohibited',
    ),
    ipv6: fc.constantFrom<RuleWords['rejection']['ipv6']>(
      'icmp6-no-route',
      'icmp6-adm-prohibited',
      'icmp6-reject-route',
    ),
  }),
  (d, answer) => d.reject(answer),
)

const ct = end(
  fc.record({
    ctevents: optional(
      fc.uniqueArray(fc.constantFrom<RuleWords['ctEvent']>('new', 'destroy', 'mark', 'helper'), { minLength: 1 }),
    ),
    zone: optional(fc.oneof(fc.nat(65535), fc.constant('mark' as const))),
    zoneOrig: optional(fc.nat(65535)),
    zoneReply: optional(fc.nat(65535)),
  }),
  (d, options) => d.ct(given(options)),
)

/** Random targets for a user-defined chain, chosen by the built-in chain from which packets reach it. */
export const ends = {
  filter: fc.oneof(
    everywhere,
    mss,
    reject,
    fc.constantFrom<End>(
      (d) => d.drop(),
      (d) => d.reject(),
      (d) => d.proto('tcp').reject('tcp-reset'),
      (d) => d.log('hi "there" \\ '),
      (d) => d.jump('EX_F2'),
      (d) => d.goto('EX_F2'),
    ),
  ),
  mangle: fc.oneof(
    everywhere,
    mss,
    fc.constantFrom<End>(
      (d) => d.proto('tcp').syn().clampMssToPmtu(),
      (d) => d.rawTarget('CLASSIFY', '--set-class', '0001:0002'),
      (d) => d.drop(),
    ),
  ),
  mangleIn: fc.oneof(
    everywhere,
    mss,
    end(fc.tuple(mark, flag), (d, [[value, mask], isOn]) =>
      d.proto('tcp').tproxy(given({ port: 15001, on: isOn ? loopback : undefined, mark: value, mask })),
    ),
  ),
  nat: fc.oneof(
    everywhere,
    end(fc.tuple(optional(fc.nat(65535)), flag), (d, [to, random]) => d.proto('tcp').redirect(to, { random })),
    end(fc.tuple(natPair, flag, flag), (d, [to, random, persistent]) =>
      d.proto('tcp').dnat(to, { random, persistent }),
    ),
    fc.constantFrom<End>(
      (d) => d.redirect(),
      (d) => d.jump('EX_N2'),
      (d) => d.proto('tcp').dnat({ ipv4: '10.0.0.1:80', ipv6: '[FD00:0::1]:80' }),
    ),
  ),
  natOut: fc.oneof(
    everywhere,
    end(fc.tuple(natPair, flag, flag, flag), (d, [to, random, randomFully, persistent]) =>
      d.proto('udp').snat(to, { random, randomFully, persistent }),
    ),
    end(fc.record({ ports: optional(portRange), random: flag, randomFully: flag }), (d, options) =>
      d.proto('udp').masquerade(given(options)),
    ),
  ),
  raw: fc.oneof(
    everywhere,
    ct,
    end(fc.nat(65535), (d, zone) => d.ctZone(zone)),
    fc.constantFrom<End>(
      (d) => d.notrack(),
      (d) => d.rawTarget('NOTRACK'),
      (d) => d.drop(),
      (d) => d.proto('tcp').ct({ helper: 'ftp' }),
    ),
  ),
} satisfies Record<string, fc.Arbitrary<End>>
