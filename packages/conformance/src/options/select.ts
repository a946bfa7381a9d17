import type { Check } from '../check.ts'
import { allChecks } from '../checks.ts'
import { ConformanceError } from '../errors.ts'
import type { ConformanceOptions } from './options.ts'

/** Selects the checks to run by the options `only` and `skip`. */
export function selectChecks({ only = [], skip = [] }: Pick<ConformanceOptions, 'only' | 'skip'>): {
  selected: readonly Check[]
  leftOut: number
} {
  const matches = (name: string) => (check: Check) => check.id === name || check.group === name
  const unknown = [...only, ...skip].find((name) => !allChecks.some(matches(name)))
  if (unknown !== undefined) {
    const message = `Unknown check ${JSON.stringify(unknown)}: use an id or a group that --list shows`
    throw new ConformanceError('UNKNOWN_CHECK', message)
  }
  const wanted = (check: Check) => only.length === 0 || only.some((name) => matches(name)(check))
  const selected = allChecks.filter((check) => wanted(check) && !skip.some((name) => matches(name)(check)))
  if (selected.length === 0) {
    throw new ConformanceError('NOTHING_TO_CHECK', `Nothing is left to check without ${skip.join(', ')}`)
  }
  return { selected, leftOut: allChecks.length - selected.length }
}
