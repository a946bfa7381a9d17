import { existsSync } from 'node:fs'
import { isUsageError } from '@cni/host/cli'
import { isInvokeError, isPluginError } from '@cni/invoke'
import {
  type CniErrorDocument,
  ErrorCode,
  encodeError,
  errorLine,
  escapeUnsafeLines,
  messageOf,
  toErrorDocument,
} from '@cni/types'
import { hintOf, isRuntimeError } from '../errors.ts'
import type { Progress } from './commands.ts'
import type { Settings } from './settings.ts'

/** Formats an error of cnitool as text for the user, with advice. */
export function reportText(error: unknown, hints: readonly string[], colour: boolean): string {
  const head = colour ? '\x1b[31mError:\x1b[0m' : 'Error:'
  const lead = colour ? '\x1b[2mHint:\x1b[0m' : 'Hint:'
  return [`${head} ${escapeUnsafeLines(errorLine(error))}`, ...hints.map((hint) => `${lead} ${hint}`), ''].join('\n')
}

/** Formats an error of cnitool as a CNI error document. */
export function reportJson(error: unknown, hints: readonly string[], cniVersion: string | undefined): string {
  return `${encodeError(errorDocument(error, hints, cniVersion))}\n`
}

/** Converts an error of cnitool to a CNI error document. */
export function errorDocument(
  error: unknown,
  hints: readonly string[],
  cniVersion: string | undefined,
): CniErrorDocument {
  const { code, details } = toErrorDocument(error)
  const msg = messageOf(error)
  const more = [msg.includes(details ?? '') ? '' : (details ?? ''), ...hints].filter(Boolean).join('; ')
  const document: CniErrorDocument = { code, msg, ...(more === '' ? {} : { details: more }) }
  if (isUsageError(error)) document.code = ErrorCode.invalidEnvironment
  return { cniVersion: cniVersion || '1.1.0', ...document }
}

/** Advice for the user about an error of cnitool. */
export function hintsFor(error: unknown, settings: Settings | undefined, progress: Progress): string[] {
  if (isUsageError(error)) return ["run 'cnitool --help' for usage"]
  const hints = [hintOf(error), settings && lookupHint(error, settings), namespaceHint(progress), retryHint(error)]
  return hints.filter((hint) => hint !== undefined)
}

function lookupHint(error: unknown, { path, confDir }: Settings): string | undefined {
  const origin = originOf(error)
  if (isRuntimeError(origin) && origin.code === 'NO_CONFIG') {
    return `put a .conflist file into ${confDir}, or pass --conf FILE or --conf-dir DIR`
  }
  if (!isInvokeError(origin) || origin.code !== 'NOT_FOUND') return undefined
  const missing = path.filter((folder) => !existsSync(folder))
  const there = missing.length === 0 ? '' : ` (not there: ${missing.join(', ')})`
  return `install the plugin, or pass its folder with --cni-path or CNI_PATH${there}`
}

function namespaceHint({ netns }: Progress): string | undefined {
  if (netns === undefined || existsSync(netns)) return undefined
  return `there is no ${netns}; a named namespace is made with 'ip netns add NAME' and found in /run/netns/NAME`
}

function retryHint(error: unknown): string | undefined {
  const origin = originOf(error)
  return isPluginError(origin) && origin.code === ErrorCode.tryAgainLater ? 'trying again later may help' : undefined
}

/** Finds the original error behind a `RuntimeError`, for example the error that the plugin reported. */
function originOf(error: unknown): unknown {
  let one = error
  while (one instanceof Error && isRuntimeError(one) && one.cause !== undefined) one = one.cause
  return one
}
