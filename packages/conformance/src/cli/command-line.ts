import { parseArgs } from 'node:util'
import { UsageError } from './usage.ts'

/** A command line, taken apart. */
export interface CommandLine {
  readonly plugin: string
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly timeout: number | undefined
  readonly flags: ReturnType<typeof parseFlags>['values']
}

/** Takes a command line apart; `help` and `list` need no plugin. Throws a {@link UsageError}. */
export function parseCommandLine(argv: readonly string[]): CommandLine | 'help' | 'list' {
  const { values, positionals } = parseFlags(argv)
  if (values.help) return 'help'
  if (values.list) return 'list'
  const [plugin, ...more] = positionals
  if (!plugin || more.length > 0) {
    throw new UsageError(`expected the path of one plugin, got ${positionals.length} arguments`)
  }
  const split = (lists: readonly string[] = []) => lists.flatMap((list) => list.split(',')).filter((id) => id !== '')
  return {
    plugin,
    only: split(values.only),
    skip: split(values.skip),
    timeout: timeoutOf(values.timeout),
    flags: values,
  }
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        conf: { type: 'string' },
        chained: { type: 'boolean' },
        only: { type: 'string', multiple: true },
        skip: { type: 'string', multiple: true },
        'cni-path': { type: 'string' },
        'cni-version': { type: 'string' },
        share: { type: 'string', multiple: true },
        args: { type: 'string' },
        timeout: { type: 'string' },
        strict: { type: 'boolean' },
        json: { type: 'boolean' },
        junit: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 3600) return seconds * 1000
  throw new UsageError(`invalid --timeout ${JSON.stringify(text)}, expected seconds`)
}
