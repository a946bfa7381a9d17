import { describe, expect, it } from 'vitest'
import { formatPath, nestedEntries } from './delegates.ts'

const LIST = { cniVersion: '0.3.1', name: 'pods', plugins: [{ type: 'calico' }, { type: 'portmap' }, { type: 'mesh' }] }
const multus = (...delegates: unknown[]) => ({ name: 'multus', type: 'multus', delegates })

function find(document: unknown): [path: string, holder: string, network: string | undefined][] {
  const { entries } = nestedEntries(JSON.stringify(document), 'mesh')
  return entries.map(({ path, holder, network }) => [formatPath(path), holder, network])
}

describe('nestedEntries', () => {
  it.each([
    ['a list in delegates', multus(LIST), [['delegates[0].plugins[2]', 'multus', 'pods']]],
    ['a single plugin in delegates', multus({ name: 'a', type: 'mesh' }), [['delegates[0]', 'multus', 'a']]],
    ['the second delegate', multus({ type: 'ptp' }, LIST), [['delegates[1].plugins[2]', 'multus', 'pods']]],
    ['a delegate object', { type: 'flannel', delegate: { type: 'mesh' } }, [['delegate', 'flannel', undefined]]],
    [
      'a plugin of a list',
      { name: 'x', plugins: [{ type: 'tuning' }, multus(LIST)] },
      [['plugins[1].delegates[0].plugins[2]', 'multus', 'pods']],
    ],
    [
      'delegates of a delegate',
      multus({ type: 'other', delegates: [LIST] }),
      [['delegates[0].delegates[0].plugins[2]', 'other', 'pods']],
    ],
    [
      'members in any case, as Go reads them',
      { Type: 'multus', DELEGATES: [{ Plugins: [{ TYPE: 'mesh' }] }] },
      [['DELEGATES[0].Plugins[0]', 'multus', undefined]],
    ],
    ['no delegate', multus(), []],
    ['another plugin', multus({ type: 'calico' }), []],
    ['the plugin of the list itself', LIST, []],
    ['the only plugin of the file', { type: 'mesh' }, []],
    ['a name outside of delegates', { type: 'x', args: { plugins: [{ type: 'mesh' }] } }, []],
    ['a delegate that Multus treats as a single plugin', multus({ ...LIST, type: 'calico' }), []],
    ['delegates that are not an array', { type: 'multus', delegates: { type: 'mesh' } }, []],
    ['delegates of other kinds', multus(null, 1, 'mesh', [{ type: 'mesh' }], { plugins: ['mesh', null] }), []],
    ['a type that is not a string', multus({ type: 1 }, { plugins: [{ type: ['mesh'] }] }), []],
    ['an array', [LIST], []],
  ])('%s', (_, document, expected) => {
    expect(find(document)).toEqual(expected)
  })

  it.each(['', '{', 'null', '[]', '"mesh"'])('finds nothing in %j', (text) => {
    expect(nestedEntries(text, 'mesh')).toEqual({ entries: [] })
  })

  it('searches bytes too', () => {
    expect(nestedEntries(Buffer.from(JSON.stringify(multus(LIST))), 'mesh').entries).toHaveLength(1)
  })

  it('stops at delegates that are nested too deeply', () => {
    const nest = (levels: number): unknown => {
      let conf: unknown = { type: 'mesh' }
      for (let level = 0; level < levels; level += 1) conf = multus(conf)
      return conf
    }
    expect(find(nest(16))).toHaveLength(1)
    const deeper = nestedEntries(JSON.stringify(nest(17)), 'mesh')
    expect(deeper).toEqual({ entries: [], limit: 'its delegates are nested deeper than 16 levels' })
  })

  it('stops after too many configurations and after too many copies', () => {
    const many = (count: number, type: string) => JSON.stringify(multus({ plugins: Array(count).fill({ type }) }))
    const limit = 'it holds more than 10000 configurations'
    expect(nestedEntries(many(20_000, 'x'), 'mesh')).toEqual({ entries: [], limit })
    const empty = `{"type":"multus","delegates":[${'{},'.repeat(1_000_000)}{}]}`
    expect(nestedEntries(empty, 'mesh')).toEqual({ entries: [], limit })
    const copies = nestedEntries(many(101, 'mesh'), 'mesh')
    expect(copies.entries).toHaveLength(100)
    expect(copies.limit).toBe('it holds more than 100 of mesh')
  })

  it('does not parse a text that is too deep for runtimes', () => {
    const deep = `${'{"delegates":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    expect(nestedEntries(deep, 'mesh')).toEqual({ entries: [] })
  })
})
