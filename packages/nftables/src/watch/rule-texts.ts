import { readRecords } from '../decode/records.ts'
import { decodeRule } from '../decode/tables.ts'
import { ruleText } from '../print/rule.ts'
import type { Nft } from '../wire/nft.ts'
import type { TableName } from '../wire/specs.ts'

const keyOf = ({ family, table, handle }: TableName & { readonly handle: bigint }): string =>
  `${family} ${table} ${handle}`

/** Cache of rule texts by rule handle. Reads all rules from the kernel again if a handle is unknown. */
export class RuleTexts {
  readonly #nft: Nft
  #generation: number | undefined
  #texts = new Map<string, string>()

  constructor(nft: Nft) {
    this.#nft = nft
  }

  /** Text of the rule that has the given handle. `undefined` if the rule no longer exists. */
  async of(name: TableName & { readonly handle: bigint }): Promise<string | undefined> {
    const known = this.#texts.get(keyOf(name))
    const generation = known === undefined ? this.#nft.generation() : this.#generation
    if (known !== undefined || generation === this.#generation) return known
    this.#generation = generation
    const tables = await this.#nft.read(() => readRecords(this.#nft))
    this.#texts = new Map(
      tables.flatMap(({ rules, sets }) =>
        rules.map((rule) => [keyOf(rule), ruleText(decodeRule(rule, sets), rule.family, { stateless: true })]),
      ),
    )
    return this.#texts.get(keyOf(name))
  }
}
