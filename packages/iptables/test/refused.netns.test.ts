import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { addElements, addSet, type Expression, isNftError } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { ruleBuilders } from '../src/crud/rule-builders.ts'
import { type Iptables, iptables } from '../src/iptables.ts'
import type { Ruleset } from '../src/rules/model.ts'
import { ruleset } from '../src/rules/ruleset.ts'
import type { IptablesPort } from '../src/run/port.ts'
import { netnsPort } from '../src/session/netns-port.ts'
import { chain, changing, commit, disturbance, disturbed, held, node, rules } from './foreign/interference.ts'

const onlyProgram = ruleset({ filter: ['EX'] }, (t) => [
  t.filter.on('EX').drop(),
  t.filter.on('EX').raw('-m', 'length', '--length', '1:9').return(),
])

const { nat } = ruleBuilders({ nat: ['OTHER', 'A', 'B'] })
const deep = Array.from({ length: 18 }, (_, i) => `EX_${i}`)
/** Ruleset that no builder creates, but that a file may contain. */
const byHand = (change: (rule: Ruleset['rules'][number]) => unknown): Ruleset =>
  JSON.parse(JSON.stringify({ chains: rules.chains, rules: rules.rules.map(change) }))

/** Foreign rules, and an own chain. */
const foreign = `*nat
:OTHER - [0:0]
:EX_A - [0:0]
-A OTHER -p tcp -j REDIRECT --to-ports 1
-A OUTPUT -p udp -j RETURN
COMMIT
`

interface Case {
  readonly what: string
  readonly prepare?: (pod: Netns) => void
  readonly port?: (pod: Netns) => IptablesPort
  /** Deadline of the call in milliseconds. */
  readonly deadlineMs?: number
  readonly act: (ipt: Iptables) => Promise<unknown>
  readonly code: string
  readonly message: RegExp
  /** First fault in the error's cause. */
  readonly fault?: object
}

const cases: readonly Case[] = [
  {
    what: 'a jump to a missing chain',
    act: (ipt) => ipt.apply({ chains: [], rules: rules.rules.slice(0, 1) }),
    code: 'NO_CHAIN',
    message: /there is no chain "EX_MARK" to jump to \(-A OUTPUT -j EX_MARK\)/,
    fault: { code: 'ENOENT', family: 'ip', table: 'mangle', chain: 'OUTPUT' },
  },
  {
    what: 'a match that the kernel lacks',
    port: (pod) => changing(pod, (each) => (each.name === 'match' && each.module === 'owner' ? unknown(each) : each)),
    act: (ipt) => ipt.apply(rules),
    code: 'NO_MODULE',
    message: /the kernel has no xt match "nosuch".*nft_compat.*\(-A EX_OUT -m owner --uid-owner 1337 -j RETURN\)/,
    fault: { code: 'ENOENT', chain: 'EX_OUT', expression: 0 },
  },
  {
    what: 'a target in another table than its own',
    act: (ipt) =>
      ipt.apply(byHand((rule) => (rule.chain === 'EX_MARK' ? { ...rule, target: rules.rules[5]?.target } : rule))),
    code: 'REFUSED',
    message: /REDIRECT.*\(-A EX_MARK -j REDIRECT --to-ports 15001\)/,
    fault: { chain: 'EX_MARK' },
  },
  {
    what: 'a jump to a chain whose target is not allowed here',
    act: (ipt) => ipt.transaction((t) => t.appendRule(nat.on('POSTROUTING').only('ipv4').jump('OTHER'))),
    code: 'REFUSED',
    message: /EINVAL, the kernel does not take it.* reached from POSTROUTING \(-A POSTROUTING -j OTHER\)/,
    fault: { code: 'EINVAL', chain: 'POSTROUTING' },
  },
  {
    what: 'a loop of jumps',
    act: (ipt) =>
      ipt.transaction((t) => {
        t.createChain('nat', 'A')
        t.createChain('nat', 'B')
        t.appendRule(nat.on('A').jump('B'))
        t.appendRule(nat.on('B').jump('A'))
        t.appendRule(nat.on('OUTPUT').jump('A'))
      }),
    code: 'REFUSED',
    message: /EMLINK, jumps in a circle.*\(-A OUTPUT -j A\)/,
    fault: { code: 'EMLINK', kind: 'rule' },
  },
  {
    what: 'jumps nested too deeply',
    act: (ipt) => {
      const jump = (from: string, to: string) => ({
        ...rules.rules[0],
        table: 'nat',
        chain: from,
        target: { ...rules.rules[0]?.target, chain: to },
      })
      const all = [jump('OUTPUT', 'EX_0'), ...deep.slice(1).map((to, i) => jump(deep[i] ?? '', to))]
      return ipt.apply(JSON.parse(JSON.stringify({ chains: deep.map((name) => ({ table: 'nat', name })), rules: all })))
    },
    code: 'REFUSED',
    message: /EMLINK, .*more than 16 deep \(-A EX_\d+ -j EX_\d+\).*; and \d+ more|EMLINK, .*more than 16 deep/,
    fault: { code: 'EMLINK', kind: 'rule' },
  },
  {
    what: 'the removal of a chain to which a map element jumps',
    prepare: (pod) =>
      commit(pod, (batch) => {
        const map = { family: 'ip', table: 'nat', set: 'ports' } as const
        addSet(batch, { ...map, keyType: 13, keyLength: 2, flags: ['map'], dataType: 'verdict' })
        addElements(batch, map, [{ key: Uint8Array.of(0, 80), data: { verdict: 'jump', chain: 'EX_A' } }])
      }),
    act: (ipt) => ipt.removeChains('EX_'),
    code: 'REFUSED',
    message: /Delete chain "EX_A".*EBUSY.*still jumps to it \(-X EX_A\)/,
    fault: { code: 'EBUSY', kind: 'chain', chain: 'EX_A' },
  },
  {
    what: 'a foreign chain that only has the name of a built-in one',
    prepare: (pod) => commit(pod, (batch) => batch.addChain(chain('POSTROUTING'))),
    act: (ipt) => ipt.transaction((t) => t.appendRule(nat.on('POSTROUTING').masquerade())),
    code: 'REFUSED',
    message: /Add chain "POSTROUTING".*EEXIST.*another program created a chain of this name/,
    fault: { code: 'EEXIST', kind: 'chain', chain: 'POSTROUTING' },
  },
  {
    what: 'a foreign chain attached elsewhere than the built-in one of its name',
    prepare: (pod) =>
      commit(pod, (batch) =>
        batch.addChain({ ...chain('PREROUTING'), base: { type: 'nat', hook: 'prerouting', priority: -90 } }),
      ),
    act: (ipt) => ipt.transaction((t) => t.appendRule(nat.on('PREROUTING').proto('tcp').redirect(1))),
    code: 'REFUSED',
    message: /Add chain "PREROUTING".*EEXIST.*another program created a chain of this name/,
    fault: { code: 'EEXIST', kind: 'chain', chain: 'PREROUTING' },
  },
  {
    what: 'a chain name of 256 bytes',
    act: (ipt) => ipt.apply(byHand((rule) => (rule.chain === 'EX_TO' ? { ...rule, chain: 'X'.repeat(256) } : rule))),
    code: 'INVALID_RULE',
    message: /^chain "X+": 1 to 28 letters/,
  },
  {
    what: 'a jump to a name of 256 bytes',
    act: (ipt) =>
      ipt.apply(
        byHand((rule) =>
          rule.chain === 'EX_OUT' ? { ...rule, target: { ...rules.rules[0]?.target, chain: 'X'.repeat(256) } } : rule,
        ),
      ),
    code: 'REFUSED',
    message: /ERANGE.*too long: at most 255 bytes.*\(-A EX_OUT .*-j X+\)/,
    fault: { code: 'ERANGE', chain: 'EX_OUT' },
  },
  {
    what: 'an interface of 256 bytes',
    act: (ipt) =>
      ipt.apply(
        byHand((rule) =>
          rule.chain === 'EX_OUT' ? { ...rule, matches: [{ match: 'out', name: 'X'.repeat(256) }] } : rule,
        ),
      ),
    code: 'REFUSED',
    message: /EOVERFLOW.*a value in it is too long \(-A EX_OUT -o X+ -j/,
    fault: { code: 'EOVERFLOW', chain: 'EX_OUT' },
  },
  {
    what: 'a rule of a ruleset that only a program can write',
    act: (ipt) => ipt.apply(onlyProgram),
    code: 'NO_BINARY',
    message: /^only a program can write -A EX -m length --length 1:9 -j RETURN, .*programs: 'never'/,
  },
  {
    what: 'a rule of a transaction that only a program can write',
    act: (ipt) =>
      ipt.transaction((t) => {
        t.flushChain('nat', 'OTHER')
        t.appendRule(nat.on('OTHER').raw('-m', 'length', '--length', '1:9').return())
      }),
    code: 'NO_BINARY',
    message: /^only a program can write -A OTHER -m length --length 1:9 -j RETURN, .*programs: 'never'/,
  },
  {
    what: 'missing nfnetlink or FFI',
    port: (pod) => ({ ...netnsPort({ netns: pod }, { shield: true }), nfnetlink: () => undefined }),
    act: (ipt) => ipt.apply(rules),
    code: 'NO_BINARY',
    message: /programs: 'never': .*the kernel has no nfnetlink, or the runtime no FFI/,
  },
  {
    what: 'another writer between each read and write',
    port: (pod) => disturbed(pod, Number.POSITIVE_INFINITY),
    deadlineMs: 500,
    act: (ipt) => ipt.apply(rules),
    code: 'CHANGED',
    message: /^Other processes changed the rules during all \d+ attempts to change them/,
  },
]

describe('by netlink, a refused apply changes nothing, and the error names the rule and the reason:', () => {
  test.for(cases)('$what', async ({ prepare, port, deadlineMs, act, code, message, fault }) => {
    await using pod = await tempNetns()
    await netns.exec(pod, ['iptables-nft-restore'], { input: foreign })
    prepare?.(pod)
    const before = await held(pod)
    const given = port?.(pod)
    const where = deadlineMs === undefined ? pod : { netns: pod, signal: AbortSignal.timeout(deadlineMs) }
    const ipt = iptables(where, {
      backend: 'iptables-nft',
      programs: 'never',
      ...(given === undefined ? {} : { port: given }),
    })
    const error: unknown = await act(ipt).then(
      () => 'nothing was refused',
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ name: 'IptablesError', code, message: expect.stringMatching(message) })
    const { cause } = error instanceof Error ? error : {}
    if (fault !== undefined) expect(isNftError(cause) ? cause.faults[0] : cause).toMatchObject(fault)
    expect((await held(pod)).replaceAll(disturbance, '')).toBe(before)
  })

  test("the legacy back end with `programs: 'never'`", async () => {
    await using pod = await tempNetns()
    await expect(iptables(pod, { backend: 'iptables-legacy', programs: 'never' }).apply(rules)).rejects.toMatchObject({
      code: 'NO_BINARY',
      message: expect.stringMatching(/the legacy back end is written by programs only/),
    })
  })

  test('a process without CAP_NET_ADMIN', async () => {
    await using pod = await tempNetns()
    const code = `
      import { iptables, ruleset } from '@cni/iptables'
      const rules = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('EX').return()])
      const ipt = iptables('host', { backend: 'iptables-nft' })
      for (const call of [() => ipt.apply(rules), () => ipt.verify(rules), () => ipt.save('ipv4')])
        await call().catch(({ code, message }) => console.log(code, message))
    `
    const drop = ['setpriv', '--bounding-set=-net_admin', '--inh-caps=-net_admin'] as const
    const { stdout } = await netns.exec(pod, [...drop, ...node(code)], { cwd: import.meta.dirname })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatch(/^DENIED .*EPERM.*CAP_NET_ADMIN/)
    expect(await held(pod)).toBe('')
  })
})

const unknown = (match: Extract<Expression, { name: 'match' }>): Expression => ({ ...match, module: 'nosuch' })
