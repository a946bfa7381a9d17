import { type Netns, netns } from '@cni/netns'
import { ownedNetns, tempNetns } from '@cni/netns/testing'
import { Batch, type Expression, isNftError, openNft, restore, snapshot } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { NODE } from '../../../test/node.ts'

const nat = { family: 'ip', table: 'nat', chain: 'OUTPUT' } as const

/** Rulesets of other programs, with known and unknown expressions. */
const NFT = `
table inet ex {
  counter hits { packets 3 bytes 180
  }
  quota much { over 25 mbytes used 2 bytes
  }
  set seen {
    type ipv4_addr . inet_service
    flags dynamic, timeout
    timeout 1h
    size 100
  }
  set nets {
    type ipv4_addr
    flags interval
    comment "some networks"
    elements = { 10.0.0.0/8 comment "private", 192.0.2.1-192.0.2.9 }
  }
  map ports {
    type inet_service : verdict
    elements = { 80 : accept, 90 : jump sub }
  }
  map marks {
    type ipv4_addr : mark
    elements = { 192.0.2.1 : 7, 192.0.2.2 : 8 }
  }
  chain sub {
    comment "reached by jumps"
    counter packets 5 bytes 300 return
  }
  chain in {
    type filter hook input priority -5; policy drop;
    tcp dport { 22, 8080-8090 } ip saddr @nets counter name hits accept comment "hello"
    tcp dport vmap @ports
    meta mark set ip daddr map @marks
    tcp flags syn add @seen { ip saddr . tcp dport timeout 5m }
    tcp option maxseg size set 1400
    ip saddr 192.0.2.0/24 numgen inc mod 2 vmap { 0 : accept, 1 : drop }
    quota name "much" drop
    ct state { established, related } ip protocol . tcp dport { tcp . 53, udp . 53 } log prefix "dns "
    iifname . oifname { "a" . "b" } jhash ip saddr mod 4 vmap { 0 : goto sub }
  }
}
table arp ex {
  chain in {
    type filter hook input priority 0; policy accept;
    arp operation request counter packets 1 bytes 2
  }
}
table bridge ex {
  chain bridged {
    type filter hook forward priority 0; policy accept;
    ether type ip drop
  }
}
`
const IPTABLES = `*nat
-N EX
-A OUTPUT -p tcp -m owner ! --uid-owner 1337 -m comment --comment "to the proxy" -j EX
-A EX -p tcp -m multiport --dports 80,443 -j REDIRECT --to-ports 15001
-A EX ! -p udp -m conntrack --ctstate NEW -j RETURN
COMMIT
*mangle
-A PREROUTING -p tcp -m socket --transparent -j MARK --set-xmark 0x539/0xffffffff
-A PREROUTING -p tcp -j TPROXY --on-port 15006 --on-ip 0.0.0.0 --tproxy-mark 0x539/0xffffffff
COMMIT
`

const ruleset = async (pod: Netns) => (await netns.exec(pod, ['nft', '-s', 'list', 'ruleset'])).stdout
const saved = async (pod: Netns, program: string) =>
  (await netns.exec(pod, [program])).stdout.split('\n').filter((line) => !line.startsWith('#'))

describe('a snapshot of rules of other programs', () => {
  test('restores all rules, including unknown expressions', async () => {
    await using pod = await tempNetns()
    await netns.exec(pod, ['nft', '-f', '-'], { input: NFT })
    for (const program of ['iptables-nft-restore', 'ip6tables-nft-restore']) {
      const input = program.startsWith('ip6') ? IPTABLES.replace('0.0.0.0', '::') : IPTABLES
      await netns.exec(pod, [program], { input })
    }
    using nft = openNft(pod)
    const look = async () => [
      await ruleset(pod),
      await saved(pod, 'iptables-nft-save'),
      await saved(pod, 'ip6tables-nft-save'),
    ]
    const before = await look()
    expect(nft.rules().flatMap(({ expressions }) => expressions.map(({ name }) => name))).toContain('raw')
    const counted = nft
      .rules()
      .map(({ chain, comment, expressions }) => [chain, comment, expressions.filter(isCounter)])

    const all = snapshot(nft)
    const tables = nft.tables()
    const batch = tables.reduce((each, table) => each.deleteTable(table), new Batch())
    nft.commit(restore(batch, all))
    expect(await look()).toEqual(before)

    nft.commit(nft.tables().reduce((each, table) => each.deleteTable(table), new Batch()))
    expect(await ruleset(pod)).toBe('')
    nft.commit(restore(new Batch(), all))
    expect(await look()).toEqual(before)
    expect(
      nft.rules().map(({ chain, comment, expressions }) => [chain, comment, expressions.filter(isCounter)]),
    ).toEqual(counted)
    // iptables-nft finds its own rule.
    await netns.exec(pod, [
      'iptables-nft',
      '-t',
      'nat',
      '-D',
      'EX',
      '-p',
      'tcp',
      '-m',
      'multiport',
      '--dports',
      '80,443',
      '-j',
      'REDIRECT',
      '--to-ports',
      '15001',
    ])
  })
})

const isCounter = ({ name }: Expression) => name === 'counter'

describe('missing privileges', () => {
  test('without root the error names the missing capability', async () => {
    await using pod = await tempNetns()
    const code = `
      import { Batch, openCommits, openNft } from '@cni/nftables/wire'
      using nft = openNft('host')
      process.setuid(65534)
      const batch = new Batch().addTable({ family: 'ip', table: 'ex' })
      for (const act of [() => nft.generation(), () => nft.rules(), () => nft.commit(batch), () => openCommits('host')]) {
        try { act() } catch (error) { process.stdout.write(error.code + ' ' + error.message + '\\n') }
      }`
    const argv = [...NODE, '--input-type=module', '--eval', code] as const
    const { stdout } = await netns.exec(pod, argv, { cwd: new URL('..', import.meta.url).pathname })
    expect(stdout.trim().split('\n')).toEqual([
      'DENIED Ask for the generation: EPERM (needs root: CAP_NET_ADMIN)',
      'DENIED List rules: EPERM (needs root: CAP_NET_ADMIN)',
      'DENIED Change nf_tables: EPERM, needs root: CAP_NET_ADMIN in the namespace',
      'DENIED Listen to netfilter: EPERM, needs root: CAP_NET_ADMIN in the namespace',
    ])
  })

  test('in a namespace of another user namespace xt user ids are refused, native ones are not', async () => {
    await using pod = await ownedNetns()
    using nft = openNft(pod)
    const owner = { name: 'match', module: 'owner', revision: 1, info: Buffer.alloc(24) } as const
    owner.info.writeUInt32LE(1337, 0)
    owner.info.writeUInt32LE(1337, 4)
    owner.info[16] = 1
    const base = { type: 'nat', hook: 'output', priority: -100 } as const
    const begun = () => new Batch().addTable(nat).addChain({ ...nat, base })
    try {
      nft.commit(begun().addRule({ ...nat, expressions: [owner] }))
      expect.unreachable()
    } catch (error) {
      if (!isNftError(error)) throw error
      expect(error.faults).toEqual([
        expect.objectContaining({
          ...{ code: 'EINVAL', kind: 'rule', chain: 'OUTPUT' },
          text: expect.stringMatching(/only from the user namespace that owns the network namespace$/),
        }),
      ])
    }
    const skuid: Expression[] = [
      { name: 'meta', key: 'skuid', dreg: 1 },
      { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(0x39, 5, 0, 0) },
    ]
    nft.commit(begun().addRule({ ...nat, expressions: skuid }))
    expect(nft.rules(nat)).toHaveLength(1)
  })
})
