import type { core } from 'zod/mini'
import type { Log } from '../log.ts'
import { pathText } from './issues.ts'
import { unknownMembers } from './unknown-members.ts'

/** Logs unlisted configuration members at level debug. Warns only about probable misspellings. */
export function warnUnknownMembers(
  schema: core.$ZodType,
  document: Readonly<Record<string, unknown>>,
  log: Pick<Log, 'debug' | 'warn'>,
): void {
  const unknown = unknownMembers(schema, document)
  if (unknown.length === 0) return
  for (const { path, suggestion } of unknown) {
    if (suggestion !== undefined) log.warn(`${pathText(path)}: did you mean ${suggestion}?`)
  }
  const members = unknown.map(({ path }) => pathText(path))
  log.debug('the configuration has members this plugin does not know', { members })
}
