import { CniError, decodeError, ErrorCode, errorLine, messageOf } from '@cni/types'
import { PluginError } from './errors.ts'
import type { Exec, ExecOutcome } from './exec.ts'
import { exitText, quoteOutput } from './go-text.ts'

/** Error for a failed execution of a plugin; `undefined` if the plugin succeeded. */
export function pluginFailure(plugin: string, outcome: Awaited<ReturnType<Exec['run']>>): PluginError | undefined {
  if (outcome.stopped !== undefined) return stoppedFailure(plugin, outcome, outcome.stopped)
  if (outcome.exitCode === 0) return undefined
  if (outcome.stdout !== '') return reportedFailure(plugin, outcome)
  const how = exitText(outcome)
  const message =
    outcome.stderr === ''
      ? `netplugin failed with no error message: ${how}`
      : `netplugin failed: ${quoteOutput(outcome.stderr)}: ${how}`
  return new PluginError(0, message, factsOf(plugin, outcome, 'exit'))
}

/** Error for a failed plugin that has printed something: an error document, or unreadable output. */
function reportedFailure(plugin: string, outcome: ExecOutcome): PluginError {
  try {
    const { code, message, details } = decodeError(JSON.parse(outcome.stdout))
    // Puts the plugin's exit status into the message if the error document has neither message nor details.
    const text = message || (details ? '' : `netplugin failed with an empty error document: ${exitText(outcome)}`)
    return new PluginError(code, text, factsOf(plugin, outcome, 'reported'), { details })
  } catch (cause) {
    const why = messageOf(cause)
    const message = `netplugin failed but error parsing its diagnostic message ${quoteOutput(outcome.stdout)}: ${why}`
    return new PluginError(0, message, factsOf(plugin, outcome, 'unreadable'), {
      cause,
      details: outcome.stderr === '' ? undefined : `stderr: ${quoteOutput(outcome.stderr)}`,
    })
  }
}

function stoppedFailure(
  plugin: string,
  outcome: ExecOutcome,
  stopped: NonNullable<ExecOutcome['stopped']>,
): PluginError {
  const facts = factsOf(plugin, outcome, stopped.reason)
  const cause = 'cause' in stopped ? { cause: stopped.cause } : {}
  if (stopped.reason === 'start') {
    return new PluginError(0, `netplugin failed with no error message: ${stopped.message}`, facts, cause)
  }
  const code = stopped.reason === 'output' ? 0 : ErrorCode.tryAgainLater
  return new PluginError(code, `netplugin failed: ${stopped.message}`, facts, {
    ...cause,
    details: stopped.reason === 'output' ? undefined : lastWords(outcome),
  })
}

/** Output that a plugin printed before it was killed, for the details of the error. */
function lastWords(outcome: ExecOutcome): string | undefined {
  if (outcome.stdout !== '') {
    try {
      return `it said: ${errorLine(decodeError(JSON.parse(outcome.stdout)))}`
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof CniError)) throw error
    }
  }
  return outcome.stderr === '' ? undefined : `stderr: ${quoteOutput(outcome.stderr)}`
}

function factsOf(
  plugin: string,
  outcome: ExecOutcome,
  reason: PluginError['reason'],
): ConstructorParameters<typeof PluginError>[2] {
  const { exitCode, signal, stderr } = outcome
  return { plugin, reason, exitCode, signal, stderr }
}
