import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { Batch, compatOf, encodeExpressions, openNft } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { formIn } from '../src/decode/form.ts'
import { savedText, tablesFrom } from '../src/decode/read-tables.ts'
import { families } from '../src/rules/model.ts'
import { dialectRows, dialects, expressionsOf } from './dialects.ts'

const programs = { ipv4: 'ip', ipv6: 'ip6' } as const

describe.each(families)('in %s', (family) => {
  const program = programs[family]
  const rows = dialectRows.filter((row) => row.families.includes(family))
  const lines = rows.map(({ text }) => `-A EX ${text}`.trimEnd())
  const linesIn = (text: string) => text.split('\n').filter((line) => line.startsWith('-A'))

  test.each(dialects)('iptables-nft and this package read the rules of %s as the same rules', async (dialect) => {
    await using pod = await tempNetns()
    using nft = openNft(pod)
    const table = { family: program, table: 'filter' } as const
    const batch = new Batch().addTable(table)
    for (const chain of ['EX', 'EX2']) batch.addChain({ ...table, chain })
    for (const row of rows) {
      const expressions = expressionsOf(row, dialect, family)
      batch.addRule({ ...table, chain: 'EX', expressions, compat: compatOf(expressions) })
    }
    nft.commit(batch)
    expect(linesIn((await netns.exec(pod, [`${program}tables-nft-save`])).stdout)).toEqual(lines)
    expect(linesIn(savedText(tablesFrom(nft.chains(), nft.rules(), family)))).toEqual(lines)
  })

  test('1.8.9 encodes the rules as this table says', async () => {
    const { stdout } = await netns.exec('host', [`${program}tables-nft`, '--version'])
    if (!stdout.includes('v1.8.9')) return
    await using pod = await tempNetns()
    using nft = openNft(pod)
    const input = rows.map((row) => `-A EX ${row.old.startsWith('any') ? '-i + -o + ' : ''}${row.text}\n`).join('')
    const text = `*filter\n:EX - [0:0]\n:EX2 - [0:0]\n${input}COMMIT\n`
    await netns.exec(pod, [`${program}tables-nft-restore`], { input: text })
    const kept = nft.rules({ family: program, table: 'filter' }).map(({ bytes }) => formIn(bytes))
    const noted = rows.map((row) => encodeExpressions(expressionsOf(row, '1.8.9', family)).toString('latin1'))
    for (const [i, row] of rows.entries()) expect(kept[i], row.text).toBe(noted[i])
  })
})
