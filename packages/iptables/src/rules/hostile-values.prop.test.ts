import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isIptablesError } from '../errors.ts'
import { canonical } from '../parse/canonical.ts'
import { tokenize } from '../parse/tokenize.ts'
import { ruleLine } from '../text/quote.ts'
import { restoreText } from '../text/restore-text.ts'
import { ruleArgs } from '../text/rule-args.ts'
import { Draft } from './draft.ts'
import type { Rule } from './model.ts'

const place = { table: 'nat', chain: 'A', own: new Set(['A', 'B']) } as const
const draft = () => new Draft(place)
const only4 = () => draft().only('ipv4')

/** Every place where a caller's string ends up in the text, with how many tokens it may add at most. */
const fields: Record<string, { readonly build: (text: string) => Rule; readonly tokens: number }> = {
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
  jump: { build: (text) => draft().jump(text), tokens: 2 },
  rawValue: { build: (text) => draft().raw('-m', 'string', '--string', text).return(), tokens: 6 },
  rawOption: { build: (text) => draft().raw('-m', 'owner', text).return(), tokens: 5 },
  rawMatch: { build: (text) => draft().raw('-m', text).return(), tokens: 4 },
  rawTarget: { build: (text) => draft().rawTarget(text), tokens: 2 },
  rawTargetValue: { build: (text) => draft().rawTarget('NFLOG', '--nflog-prefix', text), tokens: 4 },
}

const targetOf = ({ target }: Rule) =>
  target.target === 'jump' ? target.chain : target.target === 'raw' ? target.name : target.target

const evil = fc.oneof(
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

describe.each(Object.entries(fields))('a hostile string in %s', (_, { build, tokens }) => {
  test('is refused, or stays one token of one line', () => {
    fc.assert(
      fc.property(evil, (text) => {
        let rule: Rule
        try {
          rule = build(text)
        } catch (error) {
          if (!isIptablesError(error) || error.code !== 'INVALID_RULE') throw error
          return
        }
        const args = ruleArgs(rule, 'ipv4')
        expect(args.length).toBeLessThanOrEqual(tokens)
        const line = ruleLine(args)
        expect(line).not.toMatch(/\p{Cc}/u)
        expect(tokenize(line).map((word) => word.text)).toEqual(args)
        const output = restoreText({ chains: [{ table: 'nat', name: 'A' }], rules: [rule] }, 'ipv4')
        expect(output.split('\n')).toHaveLength(5)
        // The target is still that of the rule: nothing in the value was read as an option.
        expect(canonical(tokenize(line), 'ipv4').target).toBe(targetOf(rule))
      }),
      { numRuns: 300 },
    )
  })
})
