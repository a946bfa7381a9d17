import { decodeResult, isObject, messageOf, type Result } from '@cni/types'
import { InvokeError } from './errors.ts'
import { quoteOutput } from './go-text.ts'

/** Output of a plugin's successful ADD, as printed and parsed. */
export interface PluginResult {
  /** CNI version of the plugin's result, which may differ from the version of the configuration. */
  readonly cniVersion: string
  /** JSON document that the plugin printed, with all its members. A missing `cniVersion` is filled in. */
  readonly document: Readonly<Record<string, unknown>>
  /** The plugin's result, converted to the model of CNI 1.1.0. */
  readonly result: Result
}

/**
 * Parses a plugin's output of ADD. A document without `cniVersion` has the version of the configuration.
 *
 * @throws {@link InvokeError} `BAD_RESULT` if the output is not a CNI result.
 */
export function readResult(plugin: string, stdout: string, version: string): PluginResult {
  const parsed = parseDocument(plugin, stdout)
  const own = parsed.cniVersion
  const cniVersion = typeof own === 'string' && own !== '' ? own : version
  const document = { ...parsed, cniVersion }
  try {
    return { cniVersion, document, result: decodeResult(document) }
  } catch (cause) {
    throw badResult(plugin, messageOf(cause), cause)
  }
}

function parseDocument(plugin: string, stdout: string): Record<string, unknown> {
  if (stdout.trim() === '') {
    throw new InvokeError('BAD_RESULT', plugin, 'failed to unmarshal raw result: unexpected end of JSON input', {
      hint: 'the plugin succeeded and printed nothing; ADD must print a result',
    })
  }
  const document = parseJson(plugin, stdout)
  if (document === null) return {}
  if (isObject(document)) return document
  throw badResult(plugin, `expected a JSON object, got ${quoteOutput(stdout)}`)
}

function parseJson(plugin: string, stdout: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    throw badResult(plugin, `${messageOf(cause)}, got ${quoteOutput(stdout)}`, cause)
  }
}

function badResult(plugin: string, why: string, cause?: unknown): InvokeError {
  return new InvokeError('BAD_RESULT', plugin, `failed to unmarshal raw result: ${why}`, { cause })
}
