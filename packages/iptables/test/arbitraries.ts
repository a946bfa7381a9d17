import fc from 'fast-check'
import { Draft } from '../src/rules/draft.ts'
import type { AddrType, CtState, Family, Rule, Ruleset, Table } from '../src/rules/model.ts'
import { ruleset } from '../src/rules/ruleset.ts'
import { type End, ends, mark, ownChains } from './arbitrary-targets.ts'

type Step = (draft: Draft) => Draft

const octet = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(octet, octet, octet, octet).map((bytes) => bytes.join('.'))
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
const ipv6 = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':')),
  fc.tuple(group, group, group).map(([a, b, c]) => `${a}:${b}::${c}`),
  fc.constantFrom('::1', '::', '::6', '::ffff:10.1.2.3', '::127.0.0.53', '64:ff9b::1.2.3.4', 'FD00:0:0::5'),
)
/** Not `/0`, which cannot be negated. */
const cidr = (address: fc.Arbitrary<string>, bits: number) =>
  fc
    .tuple(address, fc.option(fc.integer({ min: 1, max: bits })))
    .map(([text, prefix]) => (prefix === null ? text : `${text}/${prefix}`))
export const addressPair = fc.record({ ipv4: cidr(ipv4, 32), ipv6: cidr(ipv6, 128) })

const port = fc.integer({ min: 1, max: 65535 })
const ports = fc.oneof(
  port,
  fc.tuple(port, port).map(([a, b]): `${number}:${number}` => `${Math.min(a, b)}:${Math.max(a, b)}`),
)
const owner = fc.oneof(
  fc.integer({ min: 0, max: 0xfffffffe }),
  fc.tuple(fc.nat(100_000), fc.nat(100_000)).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
)
const states = fc.uniqueArray(fc.constantFrom<CtState>('NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED'), {
  minLength: 1,
})
const types = fc.uniqueArray(fc.constantFrom<AddrType>('LOCAL', 'UNICAST', 'MULTICAST'), { minLength: 1 })
export const commentText = fc
  .string({ unit: 'binary', maxLength: 60 })
  .filter((text) => !/\p{Cc}|\p{Cs}/u.test(text) && Buffer.byteLength(text) < 200)
const interfaceName = fc.constantFrom('lo', 'eth0', 'eth+', 'cali1234567890', 'veth0.1@if2')

const negatable = (base: fc.Arbitrary<Step>): fc.Arbitrary<Step> =>
  fc.tuple(base, fc.boolean()).map(
    ([step, not]): Step =>
      (draft) =>
        step(not ? draft.not : draft),
  )

/** Conditions that stand anywhere; each makes one step. */
const anywhere: fc.Arbitrary<Step> = fc.oneof(
  negatable(
    states.map(
      (list): Step =>
        (draft) =>
          draft.ctstate(...list),
    ),
  ),
  negatable(
    mark.map(
      ([value, mask]): Step =>
        (draft) =>
          draft.mark(value, mask),
    ),
  ),
  negatable(
    mark.map(
      ([value, mask]): Step =>
        (draft) =>
          draft.connmark(value, mask),
    ),
  ),
  negatable(
    types.map(
      (list): Step =>
        (draft) =>
          draft.dstType(...list),
    ),
  ),
  commentText.map(
    (text): Step =>
      (draft) =>
        draft.comment(text),
  ),
  fc.constantFrom<Step>((draft) => draft.raw('-m', 'limit', '--limit', '3/min')),
)
/** Conditions of own chains that only OUTPUT calls. */
const outgoing: fc.Arbitrary<Step> = fc.oneof(
  negatable(
    owner.map(
      (id): Step =>
        (draft) =>
          draft.uid(id),
    ),
  ),
  negatable(
    owner.map(
      (id): Step =>
        (draft) =>
          draft.gid(id),
    ),
  ),
  negatable(fc.constant<Step>((draft) => draft.socketExists())),
)
/** Conditions that a rule has at most once. */
const once: fc.Arbitrary<Step[]> = fc
  .record({
    src: fc.option(
      negatable(
        addressPair.map(
          (pair): Step =>
            (draft) =>
              draft.src(pair),
        ),
      ),
    ),
    dst: fc.option(
      negatable(
        addressPair.map(
          (pair): Step =>
            (draft) =>
              draft.dst(pair),
        ),
      ),
    ),
    proto: fc.option(protocol()),
    out: fc.option(
      negatable(
        interfaceName.map(
          (name): Step =>
            (draft) =>
              draft.out(name),
        ),
      ),
    ),
  })
  .chain((steps) =>
    fc.shuffledSubarray(
      Object.values(steps).filter((step) => step !== null),
      { minLength: 0 },
    ),
  )

function protocol(): fc.Arbitrary<Step> {
  const withPorts = fc
    .tuple(
      fc.constantFrom('tcp', 'udp', 'sctp').map(
        (name): Step =>
          (draft) =>
            draft.proto(name === 'tcp' ? 'tcp' : name === 'udp' ? 'udp' : 'sctp'),
      ),
      fc.array(
        fc.oneof(
          negatable(
            ports.map(
              (range): Step =>
                (draft) =>
                  draft.dport(range),
            ),
          ),
          negatable(
            fc.array(ports, { minLength: 1, maxLength: 7 }).map(
              (list): Step =>
                (draft) =>
                  draft.dports(...list),
            ),
          ),
          negatable(
            fc.array(ports, { minLength: 1, maxLength: 7 }).map(
              (list): Step =>
                (draft) =>
                  draft.sports(...list),
            ),
          ),
        ),
        { maxLength: 1 },
      ),
    )
    .map(
      ([first, rest]): Step =>
        (draft) =>
          rest.reduce((each, step) => step(each), first(draft)),
    )
  const plain = negatable(
    fc.constantFrom(1, 47, 50, 89, 255, 'gre', 'esp', 6).map(
      (name): Step =>
        (draft) =>
          draft.proto(name as 1),
    ),
  )
  return fc.oneof(withPorts, withPorts, plain)
}

interface Body {
  readonly steps: readonly Step[]
  readonly end: End
  readonly only: Family | null
}

const body = (table: keyof typeof ownChains, steps: fc.Arbitrary<Step>): fc.Arbitrary<Body> =>
  fc.record({
    steps: fc.tuple(once, fc.array(steps, { maxLength: 3 })).map(([first, rest]) => [...first, ...rest]),
    end: ends[table],
    only: fc.option(fc.constantFrom<Family>('ipv4', 'ipv6'), { freq: 4 }),
  })

/** Rulesets over all tables that both back ends accept; own chains are reached from OUTPUT only. */
export const anyRuleset: fc.Arbitrary<Ruleset> = fc
  .record({
    filter: fc.array(body('filter', fc.oneof(anywhere, outgoing)), { maxLength: 6 }),
    mangle: fc.array(body('mangle', fc.oneof(anywhere, outgoing)), { maxLength: 6 }),
    nat: fc.array(body('nat', fc.oneof(anywhere, outgoing)), { maxLength: 6 }),
    raw: fc.array(body('raw', anywhere), { maxLength: 6 }),
  })
  .map((bodies) =>
    ruleset(ownChains, () =>
      tablesUsed.flatMap((table) => [
        ...(bodies[table].length === 0 ? [] : [jumpFromOutput(table)]),
        ...bodies[table].flatMap((each) => tryRule(table, each)),
      ]),
    ),
  )

const tablesUsed = ['filter', 'mangle', 'nat', 'raw'] as const

const place = (table: Table, chain: string) => ({ table, chain, own: new Set<string>(Object.values(ownChains).flat()) })

const jumpFromOutput = (table: (typeof tablesUsed)[number]) =>
  new Draft(place(table, 'OUTPUT')).jump(ownChains[table][0])

/** A combination that the builder refuses is left out: this generator is about the others. */
function tryRule(table: (typeof tablesUsed)[number], { steps, end, only }: Body): Rule[] {
  const start = new Draft(place(table, ownChains[table][0]))
  try {
    return [end(steps.reduce((draft, step) => step(draft), only === null ? start : start.only(only)))]
  } catch {
    // refused: see above
    return []
  }
}
