import { CniError, ErrorCode } from './errors.ts'
import { parseIp } from './ip.ts'
import { goQuote } from './text/go-quote.ts'

type CniArgKind = 'string' | 'ip' | 'boolean'

/**
 * Parses the environment variable `CNI_ARGS` (`KEY=value;KEY=value`). If a key occurs twice, the last value counts.
 *
 * The default parser ignores malformed parts, because a chained plugin also sees other plugins' keys. The strict parser
 * rejects malformed parts. It also rejects unknown keys unless `IgnoreUnknown` is `1` or `true`.
 *
 * @throws {@link CniError} with code 999, in strict mode only.
 * @example
 * ```ts
 * parseCniArgs('IgnoreUnknown=1;K8S_POD_NAME=web-0').get('K8S_POD_NAME') // 'web-0'
 * ```
 */
export function parseCniArgs(
  text: string,
  options: {
    /** True to parse `CNI_ARGS` as strictly as the reference implementation does. Default: false. */
    readonly strict?: boolean
    /** Keys of `CNI_ARGS` that strict mode accepts besides `IgnoreUnknown`, with the types of their values. */
    readonly known?: Readonly<Record<string, 'string' | 'ip' | 'boolean'>>
  } = {},
): ReadonlyMap<string, string> {
  return options.strict ? parseStrict(text, new Map(Object.entries(options.known ?? {}))) : parseTolerant(text)
}

function parseTolerant(text: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  for (const piece of text.split(';')) {
    const equals = piece.indexOf('=')
    if (equals > 0) pairs.set(piece.slice(0, equals), piece.slice(equals + 1))
  }
  return pairs
}

function parseStrict(text: string, known: Map<string, CniArgKind>): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  const unknown: string[] = []
  known.set('IgnoreUnknown', 'boolean')
  for (const piece of text === '' ? [] : text.split(';')) {
    const [key, value, ...more] = piece.split('=')
    if (key === undefined || value === undefined || more.length > 0) {
      throw invalidArgs(`invalid pair ${goQuote(piece)}`)
    }
    const kind = known.get(key)
    if (kind === undefined) unknown.push(piece)
    else checkValue(kind, value, piece)
    pairs.set(key, value)
  }
  if (unknown.length > 0 && !isTrue(pairs.get('IgnoreUnknown'))) {
    throw invalidArgs(`unknown args [${unknown.map(goQuote).join(' ')}]`)
  }
  return pairs
}

function checkValue(kind: CniArgKind, value: string, pair: string): void {
  const failed = `error parsing value of pair ${goQuote(pair)}`
  if (kind === 'boolean' && !/^(1|0|true|false)$/i.test(value)) {
    throw invalidArgs(`${failed}: expected 1, 0, true or false`)
  }
  if (kind !== 'ip' || value === '') return
  try {
    parseIp(value)
  } catch (cause) {
    throw invalidArgs(`${failed}: invalid IP address: ${value}`, cause)
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value?.toLowerCase() === 'true'
}

// Error for invalid `CNI_ARGS`. Has code 999, which runtimes assume for a missing code.
function invalidArgs(reason: string, cause?: unknown): CniError {
  return new CniError(ErrorCode.internal, `ARGS: ${reason}`, cause === undefined ? {} : { cause })
}
