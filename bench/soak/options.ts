import { parseArgs } from 'node:util'
import { UsageError } from '../lib/options.ts'

/** Default number of pods that the soak test starts: 10 000 pods an hour. */
const ADDS_PER_MINUTE = 10_000 / 60

export const HELP = `npm run soak -- [options]

Runs the whole agent on a temporary node for an hour. Pods start, are checked and deleted, join and leave the mesh. The
API server and ztunnel restart. Files and rules that the agent keeps are damaged. At the end the rules of every pod must
be correct. Memory, descriptors, sockets, files and kernel objects must not grow: docs/soak.md.

  --minutes N    duration (60)
  --adds N       number of pods that start (167 a minute: 10 000 in an hour)
  --seed N       seed of the order of events (default: random, printed)
  --json FILE    file for all figures and samples
  --log FILE     file for the agent's log
  --no-install   do not install missing Debian packages
  --help

Needs root. Progress is on stderr, the result on stdout.
Exit code: 0 flat and correct, 1 something grows or is wrong, 2 invalid options.
`

export interface SoakOptions {
  readonly help: boolean
  readonly install: boolean
  readonly durationMs: number
  readonly adds: number
  readonly seed: number
  readonly json: string | undefined
  readonly log: string | undefined
}

export function soakOptions(argv: readonly string[]): SoakOptions {
  const { values } = parsed(argv)
  const minutes = number('minutes', values.minutes, 60)
  return {
    help: values.help ?? false,
    install: !(values['no-install'] ?? false),
    durationMs: minutes * 60_000,
    adds: number('adds', values.adds, Math.round(minutes * ADDS_PER_MINUTE)),
    seed: number('seed', values.seed, Math.ceil(Math.random() * 1e6)),
    json: values.json,
    log: values.log,
  }
}

// internal

function parsed(argv: readonly string[]) {
  const string = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { minutes: string, adds: string, seed: string, json: string, log: string, 'no-install': flag }
  try {
    return parseArgs({ args: [...argv], options: { ...options, help: { ...flag, short: 'h' } } })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function number(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--${name}: expected an integer from 1 to 9999999, got ${JSON.stringify(text)}`)
}
