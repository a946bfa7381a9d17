import { isRunError, type RunResult } from '@cni/host'
import { debugFor } from '@cni/host/debug'
import { IptablesError } from '../errors.ts'
import type { Family } from '../rules/model.ts'
import { noBinary } from './backend.ts'
import { failure } from './failure.ts'
import { lateSignal } from './late-signal.ts'
import type { IptablesPort } from './port.ts'
import type { SessionOptions, Uncancelled, UntilCommitted } from './session-options.ts'

/** Command line of an iptables program, with the options for its run. */
export interface ProgramRun extends Uncancelled, UntilCommitted {
  readonly argv: readonly [string, ...string[]]
  readonly family: Family
  readonly input?: string | undefined
}

/** Runs an iptables program. If the program fails, rejects with a `RestoreError` that names the refused input line. */
export async function runProgram(
  port: IptablesPort,
  options: SessionOptions,
  { argv, family, input, uncancelled, commits }: ProgramRun,
): Promise<Pick<RunResult, 'durationMs' | 'stdout'>> {
  if (port.find(argv[0]) === undefined) throw noBinary(argv[0])
  const signal = uncancelled === true ? undefined : options.signal
  if (signal?.aborted === true) throw new IptablesError('ABORTED', `${argv[0]} was not started: aborted`)
  const late = input === undefined || signal === undefined ? undefined : lateSignal(signal, port.read)
  try {
    const given = {
      ...(input === undefined ? undefined : { input }),
      signal: late?.signal ?? signal,
      timeout: uncancelled === true ? undoTimeout : (options.waitSeconds + 30) * 1000,
    }
    const result = await (commits === undefined || port.runUntilCommitted === undefined
      ? port.run(argv, given)
      : port.runUntilCommitted(argv, { ...given, commits }))
    options.log?.debug(argv.join(' '), { ms: Math.round(result.durationMs), ...(input !== undefined && { input }) })
    debugFor('iptables')?.(argv.join(' '), { family, lines: input?.split('\n').length, ms: result.durationMs })
    return result
  } catch (error) {
    if (!isRunError(error)) throw error
    const refused = await failure(error, argv.join(' '), family, port, input)
    options.log?.debug(refused.message, { code: refused.code })
    debugFor('iptables')?.(argv.join(' '), { family, refused: refused.code, error: refused })
    throw refused
  } finally {
    late?.dispose()
  }
}

// internal

/** Time limit in milliseconds for the iptables programs that roll back a failed call. */
const undoTimeout = 10_000
