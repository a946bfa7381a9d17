import { quote } from '@cni/types'

/** From silence to everything. */
const NAMES = ['none', 'fatal', 'error', 'warn', 'info', 'debug'] as const

/** How much of a scope is printed. */
export type Level = (typeof NAMES)[number]

/** Levels by scope; the scope `all` has the last word. */
export type Levels = Readonly<Record<string, Level>>

/** How the log looks, and where it goes. */
export interface LogSettings {
  readonly levels: Levels
  readonly json: boolean | 'unless-terminal'
  /** `stdout`, `stderr` or paths. */
  readonly targets: readonly string[]
}

const SCOPES = ['all', 'default', 'cni-agent', 'cni-plugin']

/** Reads `scope:level,…`; a level alone is that of the scope `default`. What makes no sense is left out, and said. */
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

/** The level of a scope. The plugin's lines are as talkative as the agent's unless they have a level of their own. */
export function levelOf(levels: Levels, scope: string): Level {
  const own = levels.all ?? levels[scope]
  if (own !== undefined) return own
  return scope === 'cni-plugin' ? levelOf(levels, 'cni-agent') : 'info'
}

/** `plugin_log_level` of the plugin's configuration: one switch for what it writes and for what is shown of it. */
export const pluginLevel = (levels: Levels): Level => levelOf(levels, 'cni-plugin')

/** Whether a line of this level is printed. */
export const isShown = (level: Level, limit: Level): boolean => NAMES.indexOf(level) <= NAMES.indexOf(limit)
