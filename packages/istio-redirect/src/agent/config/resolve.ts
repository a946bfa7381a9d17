import { quote } from '@cni/types'
import type { Variable } from './variable.ts'
import { type Values, variables } from './variables.ts'

/** Texts of settings by the names of their variables. The source is the environment, or the files of a folder. */
export type Layer = Readonly<Record<string, string | undefined>>

/** Values of all settings of the agent, with warnings about invalid texts. */
export interface Resolved {
  readonly values: Values
  readonly warnings: readonly string[]
}

/**
 * Resolves the value of each setting: from its flag, else from the first source that sets its variable, else the
 * default. A variable with an empty text counts as set.
 */
export function resolveValues(flags: Readonly<Record<string, unknown>>, layers: readonly Layer[]): Resolved {
  const warnings: string[] = []
  const one = (key: string, variable: Variable<unknown>): unknown => {
    if (flags[key] !== undefined) return flags[key]
    for (const layer of layers) {
      for (const name of variable.env) {
        const given = Object.hasOwn(layer, name) ? layer[name] : undefined
        if (given === undefined) continue
        const { value, problem } = variable.decode(given)
        if (problem !== undefined) warnings.push(`${name} has the value ${quote(given)}: ${problem}`)
        return value
      }
    }
    return variable.fallback
  }
  const entries = Object.entries(variables).map(([key, variable]) => [key, one(key, variable)])
  // The cast is safe: each value comes from the decoder of its own setting.
  return { values: Object.fromEntries(entries) as Values, warnings }
}
