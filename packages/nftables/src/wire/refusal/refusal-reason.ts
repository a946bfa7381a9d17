import type { Expression } from '../expressions/expression-types.ts'
import type { Fault } from '../nft-error.ts'
import type { ObjectKind } from '../object-kind.ts'

/** Family and names of the object in a refused message. */
export type Names = Pick<Fault, 'family' | 'table' | 'chain' | 'set'>

/** Refused attribute of a message, and for a rule the index of the refused expression. */
export interface RefusedPart {
  readonly part: string
  readonly expression?: number | undefined
}

/** Refused message of a batch. */
export interface RefusedMessage {
  readonly code: string
  readonly action: 'add' | 'delete'
  readonly kind: ObjectKind
  readonly names: Names
  readonly part: RefusedPart | undefined
  readonly expressions: readonly Expression[]
}

/** Most probable reason of a refusal. The kernel uses the same errno for many reasons. */
export function reasonOf(refused: RefusedMessage): string | undefined {
  const { code, kind, action } = refused
  if (code === 'ENOENT') return missing(refused)
  if (code === 'EEXIST') return 'it exists'
  if (code === 'EBUSY') return kind === 'chain' ? 'a rule still jumps to it' : 'it is in use'
  if (code === 'EMLINK' || code === 'ELOOP') return 'jumps in a circle, or more than 16 deep'
  if (code === 'ERANGE') return 'a name or a text in it is too long: at most 255 bytes fit, in some places less'
  if (code === 'EPERM') return action === 'delete' ? 'another program owns the table' : undefined
  if (code === 'EOPNOTSUPP') {
    if (kind === 'chain') return 'it exists with another type, hook or priority, or has a nat chain before -200'
    if (kind === 'rule') return 'something in it does not work in this kind of chain, or in one that jumps here'
  }
  if (code === 'EINVAL') return invalidIn(refused)
  return undefined
}

function invalidIn({ part, expressions }: RefusedMessage): string | undefined {
  if (expressions.some((each) => each.name === 'match' && each.module === 'owner')) {
    return 'ids of users and groups are taken only from the user namespace that owns the network namespace'
  }
  const at = expressions[part?.expression ?? -1]
  if (at?.name !== 'match' && at?.name !== 'target') return undefined
  return `the xt module ${JSON.stringify(at.module)} wants another structure, table, hook or protocol`
}

function missing({ names, part, expressions }: RefusedMessage): string | undefined {
  if (part?.expression !== undefined) return missingFor(expressions[part.expression])
  if (part?.part === 'chain') return `there is no chain ${JSON.stringify(names.chain)}`
  if (part?.part === 'table') return `there is no table ${names.family} ${JSON.stringify(names.table)}`
  if (part?.part === 'set') return `there is no set ${JSON.stringify(names.set)}`
  if (part?.part === 'handle') return 'there is no rule with that handle'
  return undefined
}

function missingFor(expression: Expression | undefined): string | undefined {
  if (expression === undefined) return undefined
  switch (expression.name) {
    case 'immediate':
      return 'chain' in expression.data
        ? `there is no chain ${JSON.stringify(expression.data.chain)} to jump to`
        : undefined
    case 'lookup':
      return `there is no set ${JSON.stringify(expression.set)}`
    case 'match':
    case 'target':
      return (
        `the kernel has no xt ${expression.name} ${JSON.stringify(expression.module)}, revision ${expression.revision}, for this table: ` +
        `it needs nft_compat and the module, and a table of family ip or ip6`
      )
    default:
      return `the kernel has no expression ${JSON.stringify(expression.name === 'raw' ? expression.of : expression.name)}`
  }
}
