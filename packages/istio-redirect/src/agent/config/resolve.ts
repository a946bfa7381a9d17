import { quote } from '@cni/types'
import type { Variable } from './variable.ts'
import { type Values, variables } from './variables.ts'

/** Texts of settings by variable name, from the environment or a folder. */
export type Layer = Readonly<Record<string, string | undefined>>

/** Values of all settings of the agent, with warnings about invalid texts. */
export interface Resolved {
  readonly values: Values
  readonly warnings: readonly string[]
}

/** Chooses each setting's value: from its flag, else the first source that sets it, else the default. */
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
