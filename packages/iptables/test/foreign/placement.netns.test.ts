import { spawnSync } from 'node:child_process'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { deep, sample } from '../../../../test/deep.ts'
import { isIptablesError } from '../../src/errors.ts'
import { Draft } from '../../src/rules/draft.ts'
import { builtinChains, type Family, families, type Rule, type Ruleset, type Table } from '../../src/rules/model.ts'
import { ruleset } from '../../src/rules/ruleset.ts'
import { ruleLine } from '../../src/text/quote.ts'
import { ruleArgs } from '../../src/text/rule-args.ts'
import { programOf } from '../modes.ts'

type Finish = (draft: Draft) => Rule

const tcp = (draft: Draft) => draft.proto('tcp')
const ip = { ipv4: '10.0.0.1', ipv6: 'fd00::1' }

/**
 * Conditions and targets that depend on the place. The methods have the same names for untyped callers; `checked` is
 * the kernel's form.
 */
const things: Readonly<
  Record<string, { readonly end: Finish; readonly args: Readonly<Record<Family, string>> | string }>
> = {
  uid: { end: (d) => d.uid(1).accept(), args: '-m owner --uid-owner 1 -j ACCEPT' },
  socketExists: { end: (d) => d.socketExists().accept(), args: '-m owner --socket-exists -j ACCEPT' },
  mac: { end: (d) => d.mac('02:00:00:00:00:01').accept(), args: '-m mac --mac-source 02:00:00:00:00:01 -j ACCEPT' },
  socket: { end: (d) => d.socket().accept(), args: '-m socket -j ACCEPT' },
  in: { end: (d) => d.in('lo').accept(), args: '-i lo -j ACCEPT' },
  out: { end: (d) => d.out('lo').accept(), args: '-o lo -j ACCEPT' },
  state: { end: (d) => d.state('NEW').accept(), args: '-m state --state NEW -j ACCEPT' },
  pktType: { end: (d) => d.pktType('unicast').accept(), args: '-m pkttype --pkt-type unicast -j ACCEPT' },
  dstType: { end: (d) => d.dstType('LOCAL').accept(), args: '-m addrtype --dst-type LOCAL -j ACCEPT' },
  drop: { end: (d) => d.drop(), args: '-j DROP' },
  reject: { end: (d) => d.reject(), args: '-j REJECT' },
  redirect: { end: (d) => d.redirect(), args: '-j REDIRECT' },
  dnat: {
    end: (d) => d.dnat(ip),
    args: { ipv4: `-j DNAT --to-destination ${ip.ipv4}`, ipv6: `-j DNAT --to-destination ${ip.ipv6}` },
  },
  snat: {
    end: (d) => d.snat(ip),
    args: { ipv4: `-j SNAT --to-source ${ip.ipv4}`, ipv6: `-j SNAT --to-source ${ip.ipv6}` },
  },
  masquerade: { end: (d) => d.masquerade(), args: '-j MASQUERADE' },
  tproxy: { end: (d) => tcp(d).tproxy({ port: 1 }), args: '-p tcp -j TPROXY --on-port 1' },
  notrack: { end: (d) => d.notrack(), args: '-j CT --notrack' },
  ctZone: { end: (d) => d.ctZone(1), args: '-j CT --zone 1' },
  setMss: { end: (d) => tcp(d).syn().setMss(1400), args: '-p tcp --syn -j TCPMSS --set-mss 1400' },
  clamp: { end: (d) => tcp(d).syn().clampMssToPmtu(), args: '-p tcp --syn -j TCPMSS --clamp-mss-to-pmtu' },
  log: { end: (d) => d.log(), args: '-j LOG' },
  nflog: { end: (d) => d.nflog(), args: '-j NFLOG' },
  setMark: { end: (d) => d.setMark(1), args: '-j MARK --set-mark 1' },
  saveMark: { end: (d) => d.saveMark(), args: '-j CONNMARK --save-mark' },
}

/** Places that this package refuses although current kernels accept them. */
function stricter({ name, table, hook, own }: Try, backend: string): boolean {
  // The nft back end does not check which chain calls this target.
  if (name === 'clamp' && !['FORWARD', 'OUTPUT', 'POSTROUTING'].includes(hook)) return backend === 'iptables-nft' && own
  // iptables documents TCPMSS only for mangle, and older kernels require it.
  return ['setMss', 'clamp'].includes(name) && table !== 'mangle' && table !== 'filter'
}

interface Try {
  readonly name: string
  readonly table: Table
  readonly hook: string
  readonly own: boolean
}

const every: readonly Try[] = Object.keys(things).flatMap((name) =>
  (Object.keys(builtinChains) as Table[]).flatMap((table) =>
    builtinChains[table].flatMap((hook) => [false, true].map((own) => ({ name, table, hook, own }))),
  ),
)

/** The long search covers everything. Otherwise only one hook of each table is tested. */
const long = deep || process.env.CNI_FUZZ_RUNS !== undefined
const tries = long ? every : sample(every, ({ name, table, own }) => `${name} ${table} ${own}`)

/** Ruleset, or `undefined` if the builder refuses it. */
function ours({ name, table, hook, own }: Try): Ruleset | undefined {
  const place = (chain: string) => new Draft({ table, chain, own: new Set(['EX_B', 'EX_A']) })
  const finish = things[name]?.end ?? ((d: Draft) => d.accept())
  try {
    return ruleset({ [table]: ['EX_A', 'EX_B'] }, () =>
      own ? [finish(place('EX_A')), place('EX_B').goto('EX_A'), place(hook).jump('EX_B')] : [finish(place(hook))],
    )
  } catch (error) {
    if (!isIptablesError(error) || error.code !== 'INVALID_RULE') throw error
    expect(error.message).toMatch(new RegExp(`^${table} (EX_A \\(own chain\\)|${hook}): .{20,}`))
    return undefined
  }
}

function lines({ name, hook, own }: Try, family: Family, number = ''): string[] {
  const args = things[name]?.args ?? ''
  const text = typeof args === 'string' ? args : args[family]
  const [a, b] = [`EX_A${number}`, `EX_B${number}`]
  return own
    ? [`-N ${a}`, `-N ${b}`, `-A ${a} ${text}`, `-A ${b} -g ${a}`, `-A ${hook} -j ${b}`]
    : [`-A ${hook} ${text}`]
}

/** Places hardly depend on the family, so only the long search tests every pair of back end and family. */
const pairs = (['iptables-legacy', 'iptables-nft'] as const).flatMap((backend) =>
  families.map((family) => [backend, family] as const),
)
const some = pairs.filter(([backend, family]) => (backend === 'iptables-legacy') === (family === 'ipv4'))

test.for(long ? pairs : some)(
  'the builder refuses the same tables and chains as the kernel: %s, %s',
  { timeout: 120_000 },
  async ([backend, family]) => {
    await using pod = await tempNetns()
    const restore = (table: Table, body: readonly string[]) =>
      netns.run(pod, () =>
        spawnSync(programOf(backend, family, 'restore'), ['--noflush'], {
          input: `*${table}\n${body.join('\n')}\nCOMMIT\n`,
          encoding: 'utf8',
        }),
      )
    const taken = new Map<Table, string[]>()
    let refused = 0
    for (const each of tries) {
      const rules = ours(each)
      if (rules !== undefined) {
        const printed = rules.rules.map((rule) => `-A ${rule.chain} ${ruleLine(ruleArgs(rule, family))}`)
        expect(printed).toEqual(lines(each, family).filter((line) => line.startsWith('-A')))
        // Writes all accepted rules together.
        const body = taken.get(each.table) ?? []
        taken.set(each.table, [...body, ...lines(each, family, String(body.length))])
        continue
      }
      refused++
      const { status } = restore(each.table, ['-F', '-X', ...lines(each, family)])
      expect([each, status === 0]).toEqual([each, stricter(each, backend)])
    }
    for (const [table, body] of taken) expect(restore(table, body)).toMatchObject({ status: 0, stderr: '' })
    expect(refused).toBeGreaterThan(long ? 200 : tries.length / 4)
  },
)
