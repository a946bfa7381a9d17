import { spawnSync } from 'node:child_process'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalRule } from '../src/parse/canonical.ts'
import { parseSave } from '../src/parse/saved-tables.ts'
import type { Rule } from '../src/rules/model.ts'
import { restoreText } from '../src/text/restore-text.ts'
import { evil, fields } from './hostile.ts'

/** Fields whose values need no user, set or helper on the node. */
const standalone = [
  ...[
    'comment',
    'log',
    'logPrefix',
    'nflogPrefix',
    'rawTargetValue',
    'in',
    'src',
    'dports',
    'srcRange',
    'mac',
    'limit',
  ],
  ...['icmpType', 'tcpMaskWord', 'state', 'redirect', 'logLevel', 'snat', 'pktType', 'probability'],
]

function accepted(runs: number, seed: number): Rule[] {
  return standalone.flatMap((name) =>
    fc.sample(evil, { numRuns: runs, seed }).flatMap((text) => {
      // `rawTarget` leaves it to iptables to refuse an empty or overlong prefix.
      if (name === 'rawTargetValue' && (text === '' || Buffer.byteLength(text) > 63)) return []
      try {
        return [fields[name]?.build(text) ?? []].flat()
      } catch {
        // Refused by the builder; the property test covers it.
        return []
      }
    }),
  )
}

test.for(['iptables-legacy', 'iptables-nft'])(
  'accepted hostile values remain one token of one rule in the kernel: %s',
  async (backend) => {
    const rules = accepted(Number(process.env.CNI_FUZZ_RUNS ?? 150), 1)
    expect(rules.length).toBeGreaterThan(200)
    await using pod = await tempNetns()
    const run = (program: string, input = '') =>
      netns.run(pod, () => spawnSync(program, { input, encoding: 'utf8', maxBuffer: 1 << 26 }))
    const input = restoreText({ chains: [{ table: 'nat', name: 'A' }], rules }, 'ipv4')
    expect(run(`${backend}-restore`, input)).toMatchObject({ status: 0, stderr: '' })
    const saved = parseSave(run(`${backend}-save`).stdout, 'ipv4')
    expect(
      saved.tables
        .get('nat')
        ?.get('A')
        ?.rules.map(({ key }) => key),
    ).toEqual(rules.map((rule) => canonicalRule(rule, 'ipv4').key))
    const others = [...saved.tables].flatMap(([, chains]) => [...chains].filter(([, { rules: own }]) => own.length > 0))
    expect(others.map(([name]) => name)).toEqual(['A'])
  },
)
