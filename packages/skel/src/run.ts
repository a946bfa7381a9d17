import { CURRENT_VERSION, ErrorCode, encodeError, messageOf, toErrorDocument } from '@cni/types'
import type { Call } from './call/call.ts'
import { callLog } from './call/call-log.ts'
import { causesOf, stackOf } from './call/causes.ts'
import { dispatch } from './call/dispatch.ts'
import { type Interruption, interruption, SETTLE_BUDGET, settlesWithin } from './call/interruption.ts'
import { undoStack } from './call/undo.ts'
import type { PluginIo, PluginOutcome } from './io.ts'
import type { Plugin } from './plugin.ts'
import { immediateAnswer } from './protocol/immediate.ts'

/** Milliseconds: a call without a `timeout` of its own; containerd and CRI-O give up after 60 s and more. */
const DEFAULT_TIMEOUT = 50_000
const UNDO_BUDGET = 2000
const FLUSH_BUDGET = 1000

/**
 * Performs one call of a plugin. Touches nothing but `io`, never exits and never rejects: what tests call, many at once.
 *
 * @example
 * ```ts
 * const { exitCode, stdout } = await runPlugin(plugin, {
 *   env: { CNI_COMMAND: 'VERSION' },
 *   stdin: () => '',
 * })
 * ```
 */
export async function runPlugin(plugin: Plugin, io: PluginIo): Promise<PluginOutcome> {
  const stderr: string[] = []
  const write = (line: string): void => {
    stderr.push(line)
    io.stderr?.(line)
  }
  const immediate = immediateAnswer(plugin, io.env)
  if (immediate !== undefined) {
    for (const line of immediate.stderr.match(/.*\n/g) ?? []) io.stderr?.(line)
    return immediate
  }
  const command = io.env.CNI_COMMAND ?? ''
  const log = callLog(write, { plugin: plugin.name, command, containerID: io.env.CNI_CONTAINERID || undefined })
  const limit = interruption(command || plugin.name, plugin.timeout ?? DEFAULT_TIMEOUT, io.signal)
  const call: Call = {
    plugin,
    io,
    log,
    signal: limit.signal,
    undo: undoStack(log),
    opened: [],
    cniVersion: undefined,
  }
  const outcome = await perform(call, limit)
  await settlesWithin(log.close(), FLUSH_BUDGET)
  return { ...outcome, stderr: stderr.join('') }
}

async function perform(call: Call, limit: Interruption): Promise<Omit<PluginOutcome, 'stderr'>> {
  const work = dispatch(call)
  try {
    return { exitCode: 0, stdout: await Promise.race([work, limit.raised]) }
  } catch (error) {
    const reason = limit.error ?? error
    await settlesWithin(work, SETTLE_BUDGET)
    await call.undo.unwind(UNDO_BUDGET)
    return { exitCode: 1, stdout: errorDocument(call, reason) }
  } finally {
    limit.clear()
    closeWhenSettled(work, call)
  }
}

/** A handler that outlived its deadline still uses its handles; a closed number could come to mean another file. */
function closeWhenSettled(work: Promise<unknown>, { opened }: Call): void {
  const close = (): void => {
    for (const netns of opened.splice(0)) netns.close()
  }
  void work.then(close, close)
}

function errorDocument({ plugin, log, cniVersion }: Call, error: unknown): string {
  const document = toErrorDocument(error)
  const { code, msg, details } = document
  const causes = causesOf(error)
  if (code === ErrorCode.internal && error instanceof Error) log.error(msg, { code, details, stack: stackOf(error) })
  else log.error(msg, { code, details, cause: unsaid(causes, `${msg}\n${details}`) })
  if (code !== ErrorCode.internal && causes.length > 0) log.debug('where the error comes from', { error })
  return encodeError(plugin.goCompat ? document : { cniVersion: cniVersion || CURRENT_VERSION, ...document })
}

/** What led to an error, as far as the document does not say it. */
function unsaid(causes: readonly unknown[], said: string): string | undefined {
  const texts = causes.map(messageOf)
  return texts.filter((text) => !said.includes(text)).join('; ') || undefined
}
