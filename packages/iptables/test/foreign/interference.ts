import { type Netns, netns } from '@cni/netns'
import { Batch, decodeExpressions, type Expression, type Nft, openNft, type RuleSpec } from '@cni/nftables/wire'
import { NODE } from '../../../../test/node.ts'
import { families } from '../../src/rules/model.ts'
import { ruleset } from '../../src/rules/ruleset.ts'
import type { IptablesPort } from '../../src/run/port.ts'
import { netnsPort } from '../../src/session/netns-port.ts'

/** Tested ruleset with rules in two tables and both families. */
export const rules = ruleset({ mangle: ['EX_MARK'], nat: ['EX_OUT', 'EX_TO'] }, (t) => [
  t.mangle.on('OUTPUT').jump('EX_MARK'),
  t.mangle.on('EX_MARK').setMark(1),
  t.nat.on('OUTPUT').proto('tcp').jump('EX_OUT'),
  t.nat.on('EX_OUT').uid(1337).return(),
  t.nat.on('EX_OUT').jump('EX_TO'),
  t.nat.on('EX_TO').proto('tcp').redirect(15001),
])

/** Reads the output of `iptables-nft-save` for both families, without counters. */
export async function held(pod: Netns): Promise<string> {
  const texts = families.map(async (family) => {
    const { stdout } = await netns.exec(pod, [`ip${family === 'ipv6' ? '6' : ''}tables-nft-save`])
    return stdout.replaceAll(/^#.*\n|\[\d+:\d+\]/gm, '')
  })
  return (await Promise.all(texts)).join('')
}

/** Reference to a chain of the IPv4 nat table, in the form that a netlink batch needs. */
export const chain = (name: string) => ({ family: 'ip', table: 'nat', chain: name }) as const

/** Writes to nf_tables by netlink, as another program that uses nftables. */
export function commit(pod: Netns, fill: (batch: Batch) => void): void {
  using nft = openNft(pod)
  const batch = new Batch()
  fill(batch)
  nft.commit(batch)
}

/** Command line that runs the text of a JavaScript module with Node.js. */
export const node = (code: string): [string, ...string[]] => [...NODE, '--input-type=module', '--eval', code]

/** Real `IptablesPort` that records the names of the programs that it runs. */
export function recording(pod: Netns, ran: string[]): IptablesPort {
  const port = netnsPort({ netns: pod }, { shield: true })
  return {
    ...port,
    run: (argv, options) => {
      ran.push(argv[0])
      return port.run(argv, options)
    },
  }
}

/** Real `IptablesPort` that changes the nf_tables expressions of every rule that it writes. */
export function changing(pod: Netns, change: (expression: Expression) => Expression): IptablesPort {
  return withNft(pod, (nft) => ({
    ...nft,
    transact: (plan, options) =>
      nft.transact((batch) => {
        const add = batch.addRule.bind(batch)
        batch.addRule = (rule) => add({ ...rule, expressions: inWords(rule.expressions).map(change) })
        return plan(batch)
      }, options),
  }))
}

function inWords(expressions: RuleSpec['expressions']): readonly Expression[] {
  return expressions instanceof Uint8Array ? decodeExpressions(Buffer.from(expressions)) : expressions
}

/**
 * Real `IptablesPort` with a concurrent writer, which changes nf_tables during each of the first `times` transactions.
 */
export function disturbed(pod: Netns, times: number): IptablesPort {
  let left = times
  return withNft(pod, (nft) => ({
    ...nft,
    transact: (plan, options) =>
      nft.transact((batch) => {
        const planned = plan(batch)
        if (left-- > 0) {
          commit(pod, (other) => {
            const place = { family: 'ip6', table: 'raw', chain: 'NOISE' } as const
            other.addTable(place).addChain(place)
          })
        }
        return planned
      }, options),
  }))
}

/** Pattern for the text in {@link held}'s output that the concurrent writer's chain causes. */
export const disturbance = /\*raw\n:PREROUTING ACCEPT \n:OUTPUT ACCEPT \n:NOISE - \nCOMMIT\n/g

function withNft(pod: Netns, change: (nft: Nft) => Nft): IptablesPort {
  const port = netnsPort({ netns: pod }, { shield: true })
  return {
    ...port,
    nfnetlink() {
      const nft = port.nfnetlink?.()
      return nft === undefined ? undefined : change(nft)
    },
  }
}
