import type { Raw, Statement } from '../rules/statement.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import type { Family } from '../wire/family.ts'
import { readAction } from './actions.ts'
import { contextOf } from './loads.ts'
import { readSetting } from './marks.ts'
import { readMatch } from './matches.ts'
import { readNat } from './nat.ts'
import type { Reader, Sets } from './reading.ts'

const readers: readonly Reader[] = [readMatch, readAction, readSetting, readNat]

/** Decodes the expressions of a kernel rule into canonical statements. See {@link Statement}. */
export function decodeStatements(family: Family, expressions: readonly Expression[], sets: Sets): Statement[] {
  const reading = { expressions, sets, context: contextOf(family) }
  const statements: Statement[] = []
  let raw: Expression[] = []
  const endRaw = () => {
    if (raw.length > 0) statements.push({ kind: 'raw', expressions: raw } satisfies Raw)
    raw = []
  }
  for (let at = 0; at < expressions.length; ) {
    const found = firstOf(reading, at)
    const expression = expressions[at]
    if (found === undefined) {
      if (expression !== undefined) raw.push(expression)
      at++
    } else {
      endRaw()
      statements.push(...found.statements)
      at += found.length
    }
  }
  endRaw()
  return statements
}

function firstOf(reading: Parameters<Reader>[0], at: number): ReturnType<Reader> {
  for (const reader of readers) {
    const found = reader(reading, at)
    if (found !== undefined) return found
  }
  return undefined
}
