import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { Batch, compatOf, openNft } from '@cni/nftables/wire'
import { expect, test } from 'vitest'
import { savedText, tablesFrom } from '../../src/decode/read-tables.ts'
import { parseSave } from '../../src/parse/saved-tables.ts'

/** Foreign rules: some that this package can decode, and some that it cannot. */
const known = [
  '-m comment --comment "it\\\'s mine" -j ACCEPT',
  '-m addrtype ! --src-type LOCAL --dst-type MULTICAST --limit-iface-in -j EX2',
  '-m owner ! --socket-exists --uid-owner 5 --gid-owner 6-7 -j DROP',
  '-m iprange --src-range 10.0.0.1-10.0.0.9 ! --dst-range 10.0.1.1-10.0.1.1 -j DROP',
  '-p icmp -m icmp --icmp-type any -j DROP',
  '-m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -g EX2',
]
const unknown = [
  '-m length --length 100:200 -j DROP',
  '-p tcp -m set --match-set ex src -j EX2',
  '-s 10.0.1.0/255.0.255.0 -j DROP',
  '-p tcp -m tcp --tcp-option 5 -j DROP',
  '-p sctp -m sctp --chunk-types any INIT -g EX2',
  '-m recent --set --name DEFAULT --mask 255.255.255.255 --rsource',
  '-j SET --add-set ex src',
]

test('unmodelled foreign rules keep their bytes, places and targets', async () => {
  await using pod = await tempNetns()
  using nft = openNft(pod)
  await netns.exec(pod, ['ipset', 'create', 'ex', 'hash:ip'])
  const lines = known.flatMap((each, i) => [each, ...(unknown[i] === undefined ? [] : [unknown[i]])])
  const more = unknown.slice(known.length)
  const all = [...lines, ...more]
  const input = `*filter\n:EX - [0:0]\n:EX2 - [0:0]\n${all.map((line) => `-A EX ${line}\n`).join('')}COMMIT\n`
  await netns.exec(pod, ['iptables-nft-restore'], { input })
  const saved = parseSave((await netns.exec(pod, ['iptables-nft-save'])).stdout, 'ipv4').tables.get('filter')
  const rulesOf = (chain: string) =>
    tablesFrom(nft.chains(), nft.rules(), 'ipv4').tables.get('filter')?.get(chain)?.rules ?? []
  const read = rulesOf('EX')
  expect(saved?.get('EX')?.rules.map(({ text }) => text)).toEqual(all)
  expect(read.map(({ target }) => target)).toEqual(saved?.get('EX')?.rules.map(({ target }) => target))
  for (const [i, rule] of read.entries()) {
    const line = all[i] ?? ''
    if (known.includes(line)) expect(rule.text).toBe(line)
    else expect(rule.text).toMatch(/^-m nft --expressions [0-9a-f]+( -[jg] \S+)?$/)
  }
  expect(new Set(read.map(({ key }) => key)).size).toBe(all.length)

  const batch = new Batch().addChain({ family: 'ip', table: 'filter', chain: 'COPY' })
  for (const { source } of read) {
    const expressions = source?.expressions ?? []
    batch.addRule({ ...{ family: 'ip', table: 'filter', chain: 'COPY' }, expressions, compat: compatOf(expressions) })
  }
  nft.commit(batch)
  const again = (await netns.exec(pod, ['iptables-nft-save'])).stdout
    .split('\n')
    .filter((line) => line.startsWith('-A COPY'))
  expect(again).toEqual(all.map((line) => `-A COPY ${line}`))
  expect(rulesOf('COPY').map(({ form }) => form)).toEqual(read.map(({ form }) => form))
})

test('a rule of nft that iptables-nft cannot print is read like the other rules', async () => {
  await using pod = await tempNetns()
  using nft = openNft(pod)
  const table = { family: 'ip', table: 'filter' } as const
  nft.commit(
    new Batch()
      .addTable(table)
      .addChain({ ...table, chain: 'EX' })
      .addChain({ ...table, chain: 'a "b"' })
      .addRule({
        ...{ ...table, chain: 'EX' },
        expressions: [
          { name: 'ct', dreg: 1, key: 'state' },
          { name: 'cmp', sreg: 1, op: 'neq', data: Uint8Array.of(0, 0, 0, 0) },
          { name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: 'a "b"' } },
        ],
        comment: 'new',
      })
      .addRule({ ...{ ...table, chain: 'EX' }, expressions: [{ name: 'counter' }] }),
  )
  const read = tablesFrom(nft.chains(), nft.rules(), 'ipv4')
  const rules = read.tables.get('filter')?.get('EX')?.rules ?? []
  expect(rules.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^-m nft --expressions [0-9a-f]+ -j "a \\"b\\""$/),
    '',
  ])
  expect(rules.map(({ target }) => target)).toEqual(['a "b"', ''])
  const again = parseSave(savedText(read), 'ipv4').tables.get('filter')?.get('EX')?.rules
  expect(again?.map(({ key }) => key)).toEqual(rules.map(({ key }) => key))
})
