import type { Family, Rule } from '../rules/model.ts'
import { ruleArgs } from '../text/rule-args.ts'
import { normalizeMatch } from './normalize.ts'
import { type FoundOption, withDefaults } from './normalize-rate.ts'
import { normalizeTarget, type TargetOption, targetName } from './normalize-target.ts'
import {
  generalOptions,
  optionArity,
  protocolMatches,
  protocolModules,
  protocolOptions,
  statelessMatches,
} from './options.ts'
import { asWords, type Word } from './tokenize.ts'

/** Canonical form of a rule: equal rules have equal forms, whatever their spelling. */
export interface CanonicalRule {
  /** Sorted conditions of the rule. A general option, such as `-s`, has the module `''`. */
  readonly conditions: readonly {
    readonly module: string
    readonly option: string
    readonly not: boolean
    readonly values: readonly string[]
  }[]
  /** Name of the target or target chain; `''` without a target. */
  readonly target: string
  /** True if the rule uses `-g` instead of `-j`. */
  readonly goto: boolean
  readonly targetOptions: readonly string[]
  /** Canonical form of the rule, equal for all equal rules of a family. */
  readonly key: string
}

/** Condition of a rule in canonical spelling. */
export type Condition = CanonicalRule['conditions'][number]

/** Converts the words of a rule after `-A CHAIN` to the rule's canonical form. */
export function canonical(words: readonly Word[], family: Family): CanonicalRule {
  const found = scan(words)
  const parts: Condition[][] = [[]]
  for (const match of found.matches) {
    const conditions = conditionsOf(match, family)
    if (isUnordered(match)) parts.at(-1)?.push(...conditions)
    else parts.push(sorted(conditions), [])
  }
  // Sorts only the stateless conditions. The stateful matches, at the odd indexes, keep their places.
  const conditions = parts.flatMap((part, index) => (index % 2 === 0 ? sorted(part) : part))
  const target = targetName(found.target)
  const targetOptions = found.target === '' ? [] : normalizeTarget(found.target, found.targetOptions, family)
  const key = JSON.stringify([conditions.map(conditionKey), found.goto ? '-g' : '-j', target, ...targetOptions])
  return { conditions, target, goto: found.goto, targetOptions, key }
}

/** Converts a rule of a ruleset to its canonical form. */
export const canonicalRule = (rule: Rule, family: Family): CanonicalRule =>
  canonical(asWords(ruleArgs(rule, family)), family)

// internal

interface FoundMatch {
  readonly module: string
  readonly options: FoundOption[]
}

interface Found {
  readonly matches: FoundMatch[]
  target: string
  goto: boolean
  readonly targetOptions: TargetOption[]
}

function scan(words: readonly Word[]): Found {
  const general: FoundMatch = { module: '', options: [] }
  const found: Found = { matches: [general], target: '', goto: false, targetOptions: [] }
  let current: FoundMatch | undefined
  let protocol = ''
  let not = false
  for (let i = 0; i < words.length; i++) {
    const word = words[i]?.text ?? ''
    const next = () => words[++i]?.text ?? ''
    const short = generalOptions.get(word)
    if (word === '!') {
      not = true
      continue
    }
    if (word === '-m' || word === '--match') {
      current = { module: next(), options: [] }
      found.matches.push(current)
    } else if (word === '-j' || word === '--jump' || word === '-g' || word === '--goto') {
      found.goto = word === '-g' || word === '--goto'
      found.target = next()
      current = undefined
    } else if (word === '-c' || word === '--set-counters') {
      i += 2
    } else if (short !== undefined) {
      const value = next()
      if (short === 'p') protocol = value
      general.options.push({ option: short, not, values: [value] })
    } else {
      const values = takeValues(words, i)
      i += values.length
      const option = word.replace(/^--?/, '')
      const owner = protocolOptions.has(option) ? protocolMatch(found, current, protocol) : current
      if (owner === undefined) found.targetOptions.push({ option: `${not ? '! ' : ''}${option}`, values })
      else owner.options.push({ option, not, values })
    }
    not = false
  }
  return found
}

/** Finds the match to which a port option such as `--dport` belongs. */
function protocolMatch(found: Found, current: FoundMatch | undefined, protocol: string): FoundMatch {
  if (current !== undefined && (protocolMatches.has(current.module) || current.module === 'multiport')) return current
  const module = protocolModules.get(protocol) ?? protocol
  const open = found.matches.find((match) => match.module === module && module !== '')
  if (open !== undefined) return open
  const opened: FoundMatch = { module, options: [] }
  found.matches.push(opened)
  return opened
}

/** Reads the values after the option at `index`. */
function takeValues(words: readonly Word[], index: number): string[] {
  const arity = optionArity.get(words[index]?.text ?? '')
  const values: string[] = []
  for (let i = index + 1; i < words.length && values.length !== arity; i++) {
    const word = words[i]
    if (word === undefined) break
    if (arity === undefined && !word.quoted && (word.text === '!' || /^-./.test(word.text))) break
    values.push(word.text)
  }
  return values
}

function conditionsOf(match: FoundMatch, family: Family): Condition[] {
  const { module } = match
  if (match.options.length === 0 && module !== 'limit') {
    return module === '' || protocolMatches.has(module) ? [] : [{ module, option: '', not: false, values: [] }]
  }
  return withDefaults(match).flatMap(({ option, not, values }) => {
    const normal = normalizeMatch(module, option, values, not, family)
    return normal === undefined ? [] : [{ module, option: normal.option, not, values: normal.values }]
  })
}

/** True if a match is stateless, so that its position has no meaning. */
const isUnordered = ({ module, options }: FoundMatch) =>
  module === '' || (statelessMatches.has(module) && !options.some(({ option }) => option === 'restore-skmark'))

const conditionKey = ({ module, option, not, values }: Condition) =>
  `${module}.${not ? '!' : ''}${option} ${values.join(' ')}`

function sorted(conditions: readonly Condition[]): Condition[] {
  if (conditions.length < 2) return [...conditions]
  return conditions
    .map((condition) => ({ condition, key: conditionKey(condition) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ condition }) => condition)
}
