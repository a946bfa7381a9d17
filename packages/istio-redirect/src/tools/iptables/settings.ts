import type { Flag, FlagValues } from '@cni/host/cli'
import { parseFlags, UsageError } from '@cni/host/cli'
import { messageOf, quote } from '@cni/types'
import { TooLarge } from '../go-values.ts'
import { iptablesFlags, variablesOf } from './flags.ts'

/**
 * Settings of `istio-redirect iptables`, from flags, environment variables and defaults, in that order. Strings are not
 * validated yet.
 */
export type IptablesSettings = FlagValues<typeof iptablesFlags>

/** Settings of the command, with warnings about invalid environment variables. */
export interface ReadSettings {
  readonly settings: IptablesSettings
  readonly warnings: readonly string[]
  readonly help: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings from a command line and the environment. Throws a {@link UsageError}. */
export function readSettings(argv: readonly string[], env: Environment): ReadSettings {
  const { given, values, positionals, help } = parseFlags(argv, iptablesFlags)
  const [extra] = positionals
  if (extra !== undefined && !help) {
    throw new UsageError(`unexpected argument ${quote(extra)}: this command takes flags only`)
  }
  const warnings: string[] = []
  const fromEnvironment: Record<string, unknown> = {}
  for (const [key, flag] of Object.entries(iptablesFlags)) {
    for (const variable of variablesOf(flag)) {
      const text = env[variable]
      if (text !== undefined) fromEnvironment[key] = fromVariable(flag, variable, text, warnings)
    }
  }
  // The type assertion is safe: the parser of each flag returns a value of the flag's type.
  const settings = { ...values, ...fromEnvironment, ...given } as IptablesSettings
  return { settings, warnings, help }
}

/** Parses a variable's value as Istio does. An invalid value becomes false or 0. */
function fromVariable(flag: Flag<string> | Flag<boolean> | Flag<number>, name: string, text: string, warn: string[]) {
  try {
    return flag.parse(text)
  } catch (error) {
    const zero = typeof flag.fallback === 'boolean' ? false : error instanceof TooLarge ? 65535 : 0
    const problem = messageOf(error)
    warn.push(`environment variable ${name} is ${quote(text)}: ${problem}; taken as ${zero}`)
    return zero
  }
}
