import { quote } from '@cni/types'

/** Names of log levels, from no output to all output. */
const NAMES = ['none', 'fatal', 'error', 'warn', 'info', 'debug'] as const

/** Log level of a scope. The log omits lines that are less severe than the level. */
export type Level = (typeof NAMES)[number]

/** Log levels by scope. A level for the scope `all` overrides the levels of all other scopes. */
export type Levels = Readonly<Record<string, Level>>

/** Levels, format and targets of the agent's log. */
export interface LogSettings {
  readonly levels: Levels
  readonly json: boolean | 'unless-terminal'
  /** Targets of the agent's log: `stdout`, `stderr` or paths of files. */
  readonly targets: readonly string[]
}

const SCOPES = ['all', 'default', 'cni-agent', 'cni-plugin']

/** Parses a list of log levels, `scope:level,…`. Reports invalid items in `problems`. */
export function parseLevels(text: string): { readonly levels: Levels; readonly problems: readonly string[] } {
  const levels: Record<string, Level> = {}
  const problems: string[] = []
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue
    const colon = part.lastIndexOf(':')
    const scope = colon < 0 ? 'default' : part.slice(0, colon)
    const level = NAMES.find((name) => name === part.slice(colon + 1))
    if (level === undefined) problems.push(`log level ${quote(part)}: expected one of ${NAMES.join(', ')}`)
    else if (!SCOPES.includes(scope)) problems.push(`log scope ${quote(scope)} is not one of ${SCOPES.join(', ')}`)
    else levels[scope] = level
  }
  return { levels, problems }
}

/**
 * Returns the log level of a scope. The plugin's scope `cni-plugin` inherits the level of the agent's scope
 * `cni-agent`.
 */
export function levelOf(levels: Levels, scope: string): Level {
  const own = levels.all ?? levels[scope]
  if (own !== undefined) return own
  return scope === 'cni-plugin' ? levelOf(levels, 'cni-agent') : 'info'
}

/** Returns the plugin's log level, which the agent also writes to the plugin's configuration. */
export const pluginLevel = (levels: Levels): Level => levelOf(levels, 'cni-plugin')

/** True if the log prints lines of this level. */
export const isShown = (level: Level, limit: Level): boolean => NAMES.indexOf(level) <= NAMES.indexOf(limit)
