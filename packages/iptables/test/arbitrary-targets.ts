import fc from 'fast-check'
import type { Draft } from '../src/rules/draft.ts'
import type { Rule } from '../src/rules/model.ts'

/** Own chains of every random ruleset, per table. */
export const ownChains = {
  filter: ['EX_F1', 'EX_F2'],
  mangle: ['EX_M1'],
  nat: ['EX_N1', 'EX_N2'],
  raw: ['EX_R1'],
} as const

/** A mark with an optional mask. */
export const mark = fc.tuple(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.option(fc.integer({ min: 1, max: 0xffffffff }), { nil: undefined }),
)

/** What ends a random rule. */
export type End = (draft: Draft) => Rule

/** Targets that a chain called from OUTPUT may have, per table. */
export const ends: Record<keyof typeof ownChains, fc.Arbitrary<End>> = {
  filter: fc.constantFrom<End>(
    (d) => d.drop(),
    (d) => d.accept(),
    (d) => d.return(),
    (d) => d.reject(),
    (d) => d.log('hi "there" \\ '),
    (d) => d.jump('EX_F2'),
    (d) => d.goto('EX_F2'),
    (d) => d.count(),
  ),
  nat: fc.oneof(
    fc.constantFrom<End>(
      (d) => d.return(),
      (d) => d.accept(),
      (d) => d.redirect(),
      (d) => d.jump('EX_N2'),
    ),
    fc.nat(65535).map(
      (to): End =>
        (d) =>
          d.proto('tcp').redirect(to),
    ),
    fc.constant<End>((d) => d.proto('tcp').dnat({ ipv4: '10.0.0.1:80', ipv6: '[FD00:0::1]:80' })),
  ),
  mangle: fc.oneof(
    mark.map(
      ([value, mask]): End =>
        (d) =>
          d.setMark(value, mask),
    ),
    mark.map(
      ([value, mask]): End =>
        (d) =>
          d.setConnmark(value, mask),
    ),
    fc.constantFrom<End>(
      (d) => d.saveMark(),
      (d) => d.restoreMark(0xff),
      (d) => d.drop(),
      (d) => d.return(),
    ),
  ),
  raw: fc.oneof(
    fc.nat(65535).map(
      (zone): End =>
        (d) =>
          d.ctZone(zone),
    ),
    fc.constantFrom<End>(
      (d) => d.notrack(),
      (d) => d.drop(),
    ),
  ),
}
