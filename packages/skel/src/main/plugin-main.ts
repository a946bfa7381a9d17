import { atStart } from '@cni/host/cli'
import { CniError, CURRENT_VERSION, ErrorCode, encodeError, toErrorDocument } from '@cni/types'
import { answerUser, type CommandLineAnswer, type PluginMainOptions } from '../command-line.ts'
import { immediateAnswer } from '../definition/immediate.ts'
import type { Plugin } from '../definition/plugin.ts'
import type { PluginOutcome } from '../io.ts'
import { runPlugin } from '../run.ts'
import { calledFile } from './called-file.ts'
import { claimStdout } from './claim-stdout.ts'
import { endRunaway } from './end-runaway.ts'
import { lostRejections } from './lost-rejections.ts'
import { readStdin } from './read-stdin.ts'
import { stderrWriter } from './stderr-writer.ts'
import { warmUp } from './warm-up.ts'
import { writeAll } from './write-all.ts'
import { resultWriter } from './write-result.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Runs a plugin as this process and exits. Call it on the last line of an executable.
 *
 * - Only the result document gets to stdout.
 * - A crash, an unhandled rejection or an early `process.exit` becomes an error document.
 * - SIGTERM, SIGINT and SIGHUP undo an unfinished ADD.
 *
 * Without `CNI_COMMAND`, answers a user with `--help` and `--schema`.
 *
 * @example
 * ```ts
 * pluginMain(plugin)
 * ```
 */
export function pluginMain(plugin: Plugin, options: PluginMainOptions = {}): void {
  atStart(
    () => runAsProcess(plugin, options, []),
    () => warmUp(plugin),
  )
}

/** Runs a plugin as this process. `others` are the names of the executable's other plugins. */
export function runAsProcess(plugin: Plugin, { describe }: PluginMainOptions, others: readonly string[]): void {
  const args = process.argv.slice(2)
  const forUser = process.env.CNI_COMMAND ? undefined : answerUser(plugin, args, describe, others)
  if (forUser !== undefined) {
    answerAndExit(plugin.name, forUser)
    return
  }
  const immediate = immediateAnswer(plugin, process.env)
  if (immediate !== undefined) {
    printAndExit(plugin.name, immediate)
    return
  }

  const stdout = claimStdout()
  const interrupt = new AbortController()
  const onSignal = (signal: string): void => interrupt.abort(received(signal))
  for (const signal of SIGNALS) process.on(signal, onSignal)
  endRunaway(plugin.timeout)
  process.on('uncaughtException', (error) => interrupt.abort(crashed(error)))
  const lost = lostRejections((reason) => interrupt.abort(crashed(reason)))

  let isOver = false
  const writer = resultWriter(stdout)
  const deliver = async (document: string): Promise<void> => {
    await lost.throwFirst()
    // Lets signals end the process directly, because no signal handler runs during a blocking write.
    if (writer.mayBlock) for (const signal of SIGNALS) process.off(signal, onSignal)
    isOver = true
    try {
      await writer.write(document)
    } catch (cause) {
      const text = notWritten(plugin.name, cause)
      writeAll(2, `${text}\n`)
      throw new CniError(ErrorCode.ioFailure, text, { cause })
    } finally {
      if (writer.mayBlock) for (const signal of SIGNALS) process.on(signal, onSignal)
    }
  }
  const finish = (document: string, exitCode: number): number => {
    if (isOver) return exitCode
    isOver = true
    // Lets signals end the process directly, because the write may wait for a reader.
    for (const signal of SIGNALS) process.removeAllListeners(signal)
    return write(plugin, stdout, document) ? exitCode : 1
  }
  process.on('exit', () => {
    if (!isOver) process.exitCode = finish(failureDocument(plugin, 'the plugin ended its process early'), 1)
  })

  const io = {
    env: process.env,
    stdin: readStdin,
    signal: interrupt.signal,
    stderr: stderrWriter(),
    stdout: deliver,
    executable: calledFile(process),
  }
  runPlugin(plugin, io).then(
    ({ stdout: document, exitCode }) => process.exit(finish(document, exitCode)),
    (error: unknown) => process.exit(finish(failureDocument(plugin, String(error)), 1)),
  )
}

/** Prints an answer for a user and exits. Prints the error if the answer could not be created. */
export function answerAndExit(name: string, answer: Promise<CommandLineAnswer>): void {
  answer.then(
    (text) => printAndExit(name, text),
    (error: unknown) => printAndExit(name, { exitCode: 1, stdout: '', stderr: `${name}: ${messageOf(error)}\n` }),
  )
}

/** Prints an answer and exits. Does not reserve stdout, because no plugin handler has run. */
function printAndExit(name: string, answer: CommandLineAnswer | PluginOutcome): never {
  writeAll(2, answer.stderr)
  const failure = writeAll(1, answer.stdout)
  if (failure !== undefined) writeAll(2, `${notWritten(name, failure)}\n`)
  process.exit(failure === undefined ? answer.exitCode : 1)
}

function write({ name }: Plugin, stdout: number, document: string): boolean {
  const failure = writeAll(stdout, document)
  if (failure !== undefined) writeAll(2, `${notWritten(name, failure)}\n`)
  return failure === undefined
}

const notWritten = (name: string, cause: unknown): string =>
  `${name}: could not write the result to stdout: ${messageOf(cause)}`

function received(signal: string): CniError {
  return new CniError(ErrorCode.tryAgainLater, `received ${signal}`)
}

/** Converts any error to a CniError. Keeps the error's CNI code; errors without a code get 999. */
function crashed(cause: unknown): CniError {
  if (cause instanceof CniError) return cause
  const { code, msg, details } = toErrorDocument(cause)
  return new CniError(code, msg, { details, cause })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}

function failureDocument({ goCompat }: Plugin, msg: string): string {
  return encodeError({ ...(goCompat ? {} : { cniVersion: CURRENT_VERSION }), code: ErrorCode.internal, msg })
}
