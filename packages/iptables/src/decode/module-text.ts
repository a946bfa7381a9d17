import type { Expressions } from '@cni/nftables/wire'
import type { Family } from '../rules/model.ts'
import { StructureReader } from '../xt/structure-reader.ts'

/** Decoder of one xt module: returns the module's name and its options as text. */
type Read = (info: StructureReader, family: Family) => string | undefined

/** Creates a decoder that converts xt modules to text as `iptables-save` prints it. */
export function moduleTexts(option: '-m' | '-j', byName: Readonly<Record<string, Read>>) {
  const readers = new Map(Object.entries(byName))
  return ({ module, revision, info }: Omit<Expressions['match'], 'name'>, family: Family): string | undefined => {
    const structure = new StructureReader(info)
    const text = readers.get(`${module} ${revision}`)?.(structure, family)
    return text !== undefined && structure.isEmpty() ? `${option} ${text}` : undefined
  }
}
