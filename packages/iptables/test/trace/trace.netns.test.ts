import { netns } from '@cni/netns'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sample } from '../../../../test/deep.ts'
import { parseSave } from '../../src/parse/saved-tables.ts'
import { families } from '../../src/rules/model.ts'
import { explain } from '../../src/trace/explain.ts'
import { trace } from '../../src/trace/trace.ts'
import { programOf } from '../modes.ts'
import { compare } from './compare.ts'
import { addresses, machine, ports } from './machine.ts'
import { anyPacket } from './random-packets.ts'
import { anyRules, setsOf } from './random-rules.ts'

/** Rulesets for each back end and family; CNI_FUZZ_RUNS=400 sends more than ten thousand packets. */
const runs = Number(process.env.CNI_FUZZ_RUNS ?? 24)
const seed = Number(process.env.CNI_FUZZ_SEED ?? 20)
const packetsPerRuleset = 20

const everyTarget = [
  ...['', 'ACCEPT', 'DROP', 'REJECT', 'RETURN', 'C1', 'C3', 'MARK', 'CONNMARK', 'CT', 'TPROXY'],
  ...['REDIRECT', 'DNAT', 'SNAT', 'MASQUERADE'],
]

const all = (['iptables-nft', 'iptables-legacy'] as const).flatMap((backend) =>
  families.map((family) => ({ backend, family })),
)
const rigs = process.env.CNI_FUZZ_RUNS === undefined ? sample(all, ({ backend }) => backend) : all

test.for(rigs)(
  'the $backend kernel counts and delivers every $family packet as traced',
  { timeout: 60_000 + runs * 2000 },
  async ({ backend, family }) => {
    await using under = await machine(family)
    const sets = setsOf(family)
    const input = Object.entries(sets).flatMap(([name, entries]) => [
      `create ${name} hash:net family ${family === 'ipv4' ? 'inet' : 'inet6'}`,
      ...entries.map((entry) => `add ${name} ${entry}`),
    ])
    await netns.exec(under.pod, ['ipset', 'restore'], { input: `${input.join('\n')}\n` })
    const packets = fc.array(anyPacket(family), { minLength: packetsPerRuleset, maxLength: packetsPerRuleset })
    const drawn = fc.sample(fc.tuple(anyRules(family), packets), { numRuns: runs, seed })
    const rig = { machine: under, backend, family, options: { backend, sets, limit: 'within' as const } }
    const disagreements: string[] = []
    let [cases, hits] = [0, 0]
    const targets = new Set<string>()
    for (const [text, some] of drawn) {
      const result = await compare(rig, text, some)
      cases += result.cases
      hits += result.hits
      for (const target of result.targets) targets.add(target)
      disagreements.push(...result.disagreements)
    }
    const summary = `${backend} ${family}: ${cases} cases, ${hits} matches, CNI_FUZZ_SEED=${seed} CNI_FUZZ_RUNS=${runs}`
    if (process.env.CNI_FUZZ_RUNS !== undefined) process.stderr.write(`${summary}\n`)
    expect(disagreements.slice(0, 3).join('\n\n'), summary).toBe('')
    // Ensures that enough packets were compared.
    expect(cases).toBeGreaterThan(runs * packetsPerRuleset * 0.3)
    expect(hits).toBeGreaterThan(cases)
    if (runs >= 24) expect([...targets]).toEqual(expect.arrayContaining(everyTarget))
  },
)

test.for(rigs)(
  'a $family connection through $backend is accepted at the traced address, with its original destination',
  { timeout: 60_000 + runs * 1000 },
  async ({ backend, family }) => {
    await using under = await machine(family)
    const { dummy, veth, loopback, hosts } = addresses[family]
    const ids = fc.constantFrom(0, 1000, 1337)
    const connection = fc.record({
      ...{ dst: fc.constantFrom(`${hosts}5`, `${hosts}6`, dummy, loopback), dport: fc.constantFrom(...ports) },
      ...{ uid: ids, gid: ids },
    })
    const some = fc.array(connection, { minLength: 6, maxLength: 6 })
    const drawn = fc.sample(fc.tuple(anyRules(family), some), { numRuns: runs, seed: seed + 1 })
    const disagreements: string[] = []
    let [sport, moved] = [20_000, 0]
    for (const [all, connections] of drawn) {
      // Only rules that change the destination. Another test covers sets.
      const nat = /^\*nat\n[\s\S]*?^COMMIT\n/m.exec(all)?.[0] ?? ''
      const text = nat.replace(/^-A (INPUT|POSTROUTING|.*--match-set).*\n/gm, '')
      await netns.exec(under.pod, [programOf(backend, family, 'restore')], {
        input: text,
      })
      for (const each of connections) {
        const out = each.dst.startsWith(hosts) && each.dst !== dummy ? 'dum0' : 'lo'
        const src = each.dst === loopback ? loopback : dummy
        const packet = { protocol: 'tcp', src, sport: ++sport, ...each, out, local: [dummy, veth] }
        const found = trace(parseSave(text, family), packet, { backend, limit: 'within' })
        const { address = '', port = 0 } = found.destination
        if (found.verdict !== 'ACCEPT') continue
        const here = [dummy, veth, loopback].some((own) => own === address) && ports.includes(port)
        const desired = here ? `${address},${port} for ${each.dst},${each.dport}` : undefined
        if (here && found.rewritten !== undefined) moved++
        const got = under.connect(packet)
        if (got !== desired) disagreements.push(`traced ${desired}, accepted ${got}\n${explain(found)}${text}`)
      }
    }
    expect(disagreements.slice(0, 2).join('\n\n'), `CNI_FUZZ_SEED=${seed} CNI_FUZZ_RUNS=${runs}`).toBe('')
    if (runs >= 24) expect(moved).toBeGreaterThan(runs / 5)
  },
)
