import { netns } from '@cni/netns'
import { addElements, addSet, Batch, decodeExpressions, encodeExpressions, setsOf } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { eachPod } from '../each-pod.ts'
import { rows } from './expression-rows.ts'

const here = eachPod()

const list = async (table: string) =>
  (await netns.exec(here.pod, ['nft', 'list', 'table', 'inet', table])).stdout.replace(table, 'ex')

describe('our expressions give the bytes of the rule that nft writes', () => {
  test.each(rows)('$text', async ({ text, base, set, elements, expressions }) => {
    const head = base === undefined ? '' : `type ${base.type} hook ${base.hook} priority ${base.priority};`
    const input = `table inet theirs {\nchain target {\n}\nchain c {\n${head}\n${text} comment "hello"\n}\n}\n`
    await netns.exec(here.pod, ['nft', '-f', '-'], { input })

    const ours = { family: 'inet', table: 'ours', chain: 'c' } as const
    const batch = new Batch().addTable(ours).addChain({ ...ours, chain: 'target' })
    batch.addChain(base === undefined ? ours : { ...ours, base, policy: 'accept' })
    if (set !== undefined) {
      const anonymous = { ...ours, ...set, setId: 1 }
      addElements(addSet(batch, anonymous), anonymous, elements ?? [])
    }
    here.nft.commit(batch.addRule({ ...ours, expressions, comment: 'hello' }))

    const [theirRule, ourRule] = ['theirs', 'ours'].map((table) => here.nft.rules({ family: 'inet', table })[0])
    expect(ourRule?.expressions).toEqual(theirRule?.expressions)
    expect(ourRule?.bytes.toString('hex')).toBe(theirRule?.bytes.toString('hex'))
    expect(ourRule?.userdata).toEqual(theirRule?.userdata)
    expect(ourRule?.comment).toBe('hello')
    const anySet = setsOf(here.nft).map(({ table: _, handle: __, ...rest }) => rest)
    if (set !== undefined) expect(anySet[0]).toEqual(anySet[1])
    expect(await list('ours')).toBe(await list('theirs'))

    // The kernel returns the bytes that it received, in the same order. All expressions are known.
    expect(decodeExpressions(ourRule?.bytes ?? Buffer.alloc(0)).map(({ name }) => name)).not.toContain('raw')
    expect(encodeExpressions(ourRule?.expressions ?? []).equals(ourRule?.bytes ?? Buffer.alloc(0))).toBe(true)
  })
})
