import type { Nft } from '../wire/nft.ts'
import type { TableName } from '../wire/specs.ts'

/** Selects from a list the tables that exist in the kernel. */
export function present(nft: Nft, tables: readonly TableName[]): TableName[] {
  const all = nft.tables()
  return tables.filter(({ family, table }) => all.some((each) => each.family === family && each.table === table))
}
