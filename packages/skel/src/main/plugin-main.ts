import { CniError, CURRENT_VERSION, ErrorCode, encodeError } from '@cni/types'
import type { Plugin } from '../plugin.ts'
import { runPlugin } from '../run.ts'
import { claimStdout } from './claim-stdout.ts'
import { readStdin } from './read-stdin.ts'
import { writeAll } from './write-all.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Runs a plugin as this process, and ends the process: the last line of an executable.
 *
 * Guards stdout, so that nothing but the result gets there; turns a crash, an unhandled rejection and an early
 * `process.exit` into an error document; on SIGTERM, SIGINT and SIGHUP undoes what was begun.
 *
 * @example
 * ```ts
 * pluginMain(plugin)
 * ```
 */
export function pluginMain(plugin: Plugin): void {
  const stdout = claimStdout()
  const interrupt = new AbortController()
  for (const signal of SIGNALS) process.on(signal, () => interrupt.abort(received(signal)))
  process.on('uncaughtException', (error) => interrupt.abort(crashed(error)))
  process.on('unhandledRejection', (reason) => interrupt.abort(crashed(reason)))

  let isOver = false
  const finish = (document: string, exitCode: number): number => {
    if (isOver) return exitCode
    isOver = true
    // From here on a signal ends the process as usual, even if nobody reads the document.
    for (const signal of SIGNALS) process.removeAllListeners(signal)
    const failure = writeAll(stdout, document)
    if (failure === undefined) return exitCode
    writeAll(2, `${plugin.name}: could not write the result to stdout: ${failure.message}\n`)
    return 1
  }
  process.on('exit', () => {
    if (!isOver) process.exitCode = finish(failureDocument(plugin, 'the plugin ended its process early'), 1)
  })

  const io = {
    env: process.env,
    stdin: readStdin,
    signal: interrupt.signal,
    stderr: (line: string) => void writeAll(2, line),
  }
  runPlugin(plugin, io).then(
    ({ stdout: document, exitCode }) => process.exit(finish(document, exitCode)),
    (error: unknown) => process.exit(finish(failureDocument(plugin, String(error)), 1)),
  )
}

function received(signal: string): CniError {
  return new CniError(ErrorCode.tryAgainLater, `received ${signal}`)
}

function crashed(cause: unknown): CniError {
  const message = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new CniError(ErrorCode.internal, message, { cause })
}

function failureDocument({ goCompat }: Plugin, msg: string): string {
  return encodeError({ ...(goCompat ? {} : { cniVersion: CURRENT_VERSION }), code: ErrorCode.internal, msg })
}
