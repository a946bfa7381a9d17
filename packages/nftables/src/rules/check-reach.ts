import { invalid } from '../wire/nft-error.ts'
import type { BaseChain } from '../wire/specs.ts'
import { dataTypes } from './data-type.ts'
import type { Chain, Table } from './model.ts'
import { selectors } from './selector.ts'
import { isMatch, type Statement } from './statement.ts'

/** Maximum depth of jumps below a base chain. The kernel refuses deeper jumps. */
const MAX_DEPTH = 15

/** Checks references and base chains, because the kernel would report only an error number. */
export function checkReach(table: Table): void {
  const chains = new Map(table.chains.map((chain) => [chain.name, chain]))
  for (const chain of table.chains) checkReferences(table, chain, chains)
  for (const chain of table.chains) if (chain.base !== undefined) checkBase(table, chain, chain.base, chains)
  const depths = new Map<Chain, number>()
  for (const chain of table.chains) checkDepth(table, chain, chains, depths)
}

// internal

type Chains = ReadonlyMap<string, Chain>

function checkReferences(table: Table, { name, rules }: Chain, chains: Chains): void {
  const where = `${table.name} ${name}`
  for (const { statements } of rules) {
    for (const statement of statements) {
      for (const target of targetsOf(statement)) {
        const found = chains.get(target)
        if (found === undefined) invalid(`${where}: jump to ${JSON.stringify(target)}, not declared in this table`)
        if (found.base !== undefined) invalid(`${where}: jump to ${JSON.stringify(target)}, which is a base chain`)
      }
      checkSet(table, statement, where)
    }
  }
}

function targetsOf(statement: Statement): readonly string[] {
  if (statement.kind === 'jump' || statement.kind === 'goto') return [statement.chain]
  if (statement.kind !== 'vmap' || 'named' in statement.map) return NONE
  return statement.map.elements.flatMap(({ verdict }) => ('chain' in verdict ? [verdict.chain] : NONE))
}

const NONE: readonly string[] = []

function checkSet({ sets }: Table, statement: Statement, where: string): void {
  const isMap = statement.kind === 'vmap'
  const operand = isMap ? statement.map : isMatch(statement) ? statement.value : undefined
  if (typeof operand !== 'object' || !('named' in operand)) return
  const on = isMap ? statement.on : isMatch(statement) ? statement.kind : undefined
  const found = sets.find(({ name }) => name === operand.named)
  if (found === undefined || on === undefined) {
    invalid(`${where}: the table declares no ${isMap ? 'map' : 'set'} ${JSON.stringify(operand.named)}`)
  }
  const { type } = selectors[on]
  const isOf = typeof found.key === 'string' && dataTypes[found.key].number === type.number
  if (!isOf || found.data !== (isMap ? 'verdict' : undefined)) {
    invalid(`${where}: ${found.name} is not a ${isMap ? 'verdict map' : 'set'} with keys of the type of ${on}`)
  }
}

function checkBase({ name, family }: Table, chain: Chain, base: BaseChain, chains: Chains): void {
  const { type, hook, priority } = base
  const where = `${name} ${chain.name}`
  if (!Number.isInteger(priority) || priority !== (priority | 0))
    invalid(`${where}: ${priority} is not a priority: it must be a 32-bit integer`)
  if (!hooksOfType[type]?.includes(hook))
    invalid(`${where}: there is no ${type} chain at the hook ${hook} of ${family}`)
  if (type === 'nat' && priority <= -200) {
    invalid(
      `${where}: a nat chain of priority ${priority} would be before connections are tracked: at least -199 is needed`,
    )
  }
  // Visits the base chain and all chains that it reaches by jumps.
  const reached = new Set([chain])
  for (const each of reached) {
    for (const { statements } of each.rules) {
      for (const statement of statements) {
        checkChainType(statement, base, `${name} ${each.name}`)
        for (const target of targetsOf(statement)) {
          const next = chains.get(target)
          if (next !== undefined) reached.add(next)
        }
      }
    }
  }
}

/** Computes the depth of jumps below a chain. The depth -1 marks an unfinished chain. */
function checkDepth(table: Table, chain: Chain, chains: Chains, depths: Map<Chain, number>): number {
  const where = `${table.name} ${chain.name}`
  const known = depths.get(chain)
  if (known !== undefined) return known < 0 ? invalid(`${where}: the chain jumps back to itself`) : known
  depths.set(chain, -1)
  let depth = 0
  for (const { statements } of chain.rules) {
    for (const target of statements.flatMap(targetsOf)) {
      const next = chains.get(target)
      if (next !== undefined) depth = Math.max(depth, 1 + checkDepth(table, next, chains, depths))
    }
  }
  if (depth > MAX_DEPTH) invalid(`${where}: jumps from it are more than ${MAX_DEPTH} deep`)
  depths.set(chain, depth)
  return depth
}

/** Checks that a base chain's type and hook allow a statement. Throws `NftError('INVALID')`. */
function checkChainType({ kind }: Statement, { type, hook }: BaseChain, where: string): void {
  const allowed = allowedChains.get(kind)
  if (allowed === undefined || (allowed.type === type && allowed.hooks.includes(hook))) return
  invalid(
    `${where}: ${kind} is for ${allowed.type} chains at ${allowed.hooks.join(' and ')}, but it is reached from ${type} at ${hook}`,
  )
}

interface AllowedChains {
  readonly type: BaseChain['type']
  readonly hooks: readonly string[]
}

const destination: AllowedChains = { type: 'nat', hooks: ['prerouting', 'output'] }
const allowedChains = new Map<string, AllowedChains>([
  ['redirect', destination],
  ['dnat', destination],
  ['masquerade', { type: 'nat', hooks: ['postrouting'] }],
  ['snat', { type: 'nat', hooks: ['postrouting', 'input'] }],
  ['tproxy', { type: 'filter', hooks: ['prerouting'] }],
])

const ALL = ['prerouting', 'input', 'forward', 'output', 'postrouting']
const hooksOfType: Readonly<Record<string, readonly string[] | undefined>> = {
  filter: ALL,
  nat: ['prerouting', 'input', 'output', 'postrouting'],
  route: ['output'],
}
