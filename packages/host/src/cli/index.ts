/**
 * Building blocks of command-line tools: flags, help texts, errors and process streams.
 *
 * @example
 * ```ts
 * import { boolFlag, flagsText, parseFlags, textFlag } from '@cni/host/cli'
 *
 * const flags = {
 *   json: boolFlag({ name: 'json', help: 'for programs' }),
 *   out: textFlag({ name: 'out', short: 'o', value: 'FILE', help: 'where to write' }),
 * }
 * const { values } = parseFlags(['--json', '-o', 'x'], flags)
 * export const { json, out } = values
 * export const help = `Usage: my-command [flags]\n\nFlags:\n${flagsText(flags)}`
 * ```
 *
 * @module
 */

export { VERSION } from '../version.ts'
export { atStart } from './at-start.ts'
export { type CommandIo, commandMain } from './command-main.ts'
export {
  boolFlag,
  choiceFlag,
  type Flag,
  type FlagValues,
  listFlag,
  secondsFlag,
  textFlag,
} from './flag.ts'
export { flagsText, heading } from './help-text.ts'
export { parseFlags } from './parse-flags.ts'
export { isUsageError, UsageError } from './usage-error.ts'
export { versionText } from './version-text.ts'
