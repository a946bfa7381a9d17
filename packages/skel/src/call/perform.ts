import { CURRENT_VERSION, ErrorCode, encodeError, messageOf, toErrorDocument } from '@cni/types'
import type { PluginIo, PluginOutcome } from '../io.ts'
import type { MarkedCall } from '../uninstalled/uninstalled-plugin.ts'
import type { Call } from './call.ts'
import { callLog } from './call-log.ts'
import { causesOf, stackOf } from './causes.ts'
import { type Deadline, deadline, SETTLE_BUDGET, settlesWithin } from './deadline.ts'
import { deliver } from './deliver.ts'
import { dispatch } from './dispatch.ts'
import { undoStack } from './undo.ts'

const UNDO_BUDGET = 2000
const FLUSH_BUDGET = 1000

/** Performs one CNI call, and logs to `stderr`. Never rejects. */
export async function performCall(
  { plugin, file, problem }: MarkedCall,
  io: PluginIo,
  stderr: (line: string) => void,
): Promise<Omit<PluginOutcome, 'stderr'>> {
  const command = io.env.CNI_COMMAND ?? ''
  const log = callLog(stderr, { plugin: plugin.name, command, containerID: io.env.CNI_CONTAINERID || undefined })
  const limit = deadline(command || plugin.name, plugin.timeout, io.signal)
  const call: Call = {
    ...{ plugin, io, log, signal: limit.signal, undo: undoStack(log), opened: [], held: [] },
    ...{ cniVersion: undefined, uninstalled: file },
  }
  if (problem !== undefined) log.warn('the plugin counts as installed', { reason: problem })
  const outcome = await perform(call, limit, dispatch(call))
  await settlesWithin(log.close(), FLUSH_BUDGET)
  return outcome
}

// internal

async function perform(call: Call, limit: Deadline, work: Promise<unknown>): Promise<Omit<PluginOutcome, 'stderr'>> {
  try {
    const document = String(await Promise.race([work, limit.raised]))
    await deliver(document, call.io, limit)
    return { exitCode: 0, stdout: document }
  } catch (error) {
    const reason = limit.error ?? error
    await settlesWithin(work, SETTLE_BUDGET)
    await call.undo.unwind(UNDO_BUDGET)
    return { exitCode: 1, stdout: errorDocument(call, reason) }
  } finally {
    limit.clear()
    // Does not wait until resources are closed, because a handler may continue after the deadline.
    await settlesWithin(closeWhenSettled(work, call), 0)
  }
}

/** Closes resources after the handler has ended. The handler could otherwise use a closed and reused descriptor. */
function closeWhenSettled(work: Promise<unknown>, { held, log, opened, undo }: Call): Promise<void> {
  const close = async (): Promise<void> => {
    await undo.settled()
    for (const resource of held.splice(0).reverse()) dispose(resource, log)
    for (const netns of opened.splice(0)) netns.close()
  }
  return work.then(close, close)
}

function dispose(resource: Disposable, log: Call['log']): void {
  try {
    resource[Symbol.dispose]()
  } catch (error) {
    log.warn('a held resource was not released', { error })
  }
}

function errorDocument({ plugin, log, cniVersion }: Call, error: unknown): string {
  const document = toErrorDocument(error)
  const { code, msg, details } = document
  const causes = causesOf(error)
  if (code === ErrorCode.internal && error instanceof Error) log.error(msg, { code, details, stack: stackOf(error) })
  else log.error(msg, { code, details, cause: unreported(causes, `${msg}\n${details}`) })
  if (code !== ErrorCode.internal && causes.length > 0) log.debug('where the error comes from', { error })
  return encodeError(plugin.goCompat ? document : { cniVersion: cniVersion || CURRENT_VERSION, ...document })
}

/** Messages of the error's causes that are not already part of the error document. */
function unreported(causes: readonly unknown[], said: string): string | undefined {
  const texts = causes.map(messageOf)
  return texts.filter((text) => !said.includes(text)).join('; ') || undefined
}
