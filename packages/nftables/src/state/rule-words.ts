import type { Rule } from '../rules/model.ts'
import type { Family } from '../wire/family.ts'
import type { NftRule } from '../wire/records.ts'

/** A rule that is wanted, in words. */
export function wantedText({ statements, comment }: Rule, _family: Family): string {
  return withComment(statements.map(({ kind }) => kind).join(' '), comment)
}

/** A rule that is there, in words. */
export function presentText({ expressions, comment, handle }: NftRule): string {
  return withComment(`${expressions.map(({ name }) => name).join(' ')} # handle ${handle}`, comment)
}

const withComment = (text: string, comment: string | undefined) =>
  comment === undefined ? text : `${text} comment ${JSON.stringify(comment)}`
