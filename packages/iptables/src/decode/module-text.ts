import type { Expressions } from '@cni/nftables/wire'
import type { Family } from '../rules/model.ts'
import { StructureReader } from '../xt/structure-reader.ts'

/** Tells a module by its name and its options. */
type Read = (info: StructureReader, family: Family) => string | undefined

/**
 * Modules as `iptables-save` prints them, of those that there are readers for, by name and revision; `undefined` for one
 * that says something that is not modelled.
 */
export function moduleTexts(option: '-m' | '-j', named: Readonly<Record<string, Read>>) {
  const readers = new Map(Object.entries(named))
  return ({ module, revision, info }: Omit<Expressions['match'], 'name'>, family: Family): string | undefined => {
    const structure = new StructureReader(info)
    const text = readers.get(`${module} ${revision}`)?.(structure, family)
    return text !== undefined && structure.isEmpty() ? `${option} ${text}` : undefined
  }
}
