import type { Expressions } from '@cni/nftables/wire'
import type { Family } from '../rules/model.ts'
import { StructureReader } from '../xt/structure-reader.ts'

/** Returns the name of an xt module and its options as text. */
type Read = (info: StructureReader, family: Family) => string | undefined

/**
 * Decodes modules as `iptables-save` prints them. There is a reader for each name and revision. Returns `undefined` for
 * content that the reader does not model.
 */
export function moduleTexts(option: '-m' | '-j', named: Readonly<Record<string, Read>>) {
  const readers = new Map(Object.entries(named))
  return ({ module, revision, info }: Omit<Expressions['match'], 'name'>, family: Family): string | undefined => {
    const structure = new StructureReader(info)
    const text = readers.get(`${module} ${revision}`)?.(structure, family)
    return text !== undefined && structure.isEmpty() ? `${option} ${text}` : undefined
  }
}
