import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './exec.ts'

const file = 'api/budget.json'

/** Limits of the public API. A larger change must raise a limit by hand. */
export interface ApiBudget {
  /** Map from an import specifier to the maximum number of names that this entry exports. */
  readonly names: Readonly<Record<string, number>>
  /** Map from a package to the maximum number of unexported types in its public signatures (default 0). */
  readonly hidden: Readonly<Record<string, number>>
}

export interface PackageCount {
  readonly package: string
  readonly entries: readonly { readonly specifier: string; readonly names: number }[]
  readonly hidden: readonly string[]
}

export function readBudget(): ApiBudget {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}

/** Returns a message for each package or entry that exceeds its limit of public names. */
export function budgetProblems(counts: readonly PackageCount[], budget: ApiBudget): readonly string[] {
  const entries = counts.flatMap((each) => each.entries)
  const known = new Set(entries.map(({ specifier }) => specifier))
  return [
    ...entries.flatMap(({ specifier, names }) => {
      const limit = budget.names[specifier]
      if (limit === undefined)
        return [`${specifier} offers ${names} names and has no budget: add it to ${file} by hand.`]
      if (names <= limit) return []
      return [`${specifier} offers ${names} names, its budget is ${limit}: raise it in ${file} by hand.`]
    }),
    ...counts.flatMap(({ package: name, hidden }) => {
      const limit = budget.hidden[name] ?? 0
      if (hidden.length <= limit) return []
      const types = hidden.join(', ')
      return [
        `${name} needs ${hidden.length} types that it does not export, its budget is ${limit}: export them (${types}).`,
      ]
    }),
    ...Object.keys(budget.names)
      .filter((specifier) => !known.has(specifier))
      .map((specifier) => `${specifier} is in ${file}, and no package has this entry.`),
  ]
}

/**
 * Number of public names that an export adds, including members of objects and namespaces.
 *
 * @param known - interfaces whose members were counted before
 */
export function namesOf(checker: ts.TypeChecker, exported: ts.Symbol, known: Set<ts.Symbol>): number {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  if (symbol.flags & ts.SymbolFlags.ValueModule) return 1 + checker.getExportsOfModule(symbol).length
  if (!(symbol.flags & ts.SymbolFlags.Variable)) return 1
  const type = checker.getTypeOfSymbol(symbol)
  if (checker.isTupleType(type) || checker.isArrayType(type)) return 1
  const named = type.symbol?.flags & ts.SymbolFlags.Interface ? type.symbol : undefined
  if (named !== undefined && known.has(named)) return 1
  if (named !== undefined) known.add(named)
  return 1 + checker.getPropertiesOfType(type).length
}
