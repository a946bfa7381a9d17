import { invalid } from '../errors.ts'
import { checkText } from './names.ts'

/** Validates the tokens of `.raw()`, which must not change the rule's chain or target. */
export function checkRawMatch(tokens: readonly string[]): readonly string[] {
  if (tokens.length === 0) invalid('raw: at least one token is needed')
  if (tokens.at(-1) === '!') invalid('raw: the last token is a negation without an option after it')
  checkTokens(tokens, 'raw')
  return tokens
}

/** Validates the target name and the option tokens of the builder's `.rawTarget()`. */
export function checkRawTarget(name: string, tokens: readonly string[]): void {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,27}$/.test(name)) invalid(`rawTarget: ${JSON.stringify(name)} is not a target`)
  checkTokens(tokens, `rawTarget ${name}`)
  if (tokens.includes('-m')) invalid(`rawTarget ${name}: matches must be given in raw(), before the target`)
}

// internal

function checkTokens(tokens: readonly string[], what: string): void {
  for (const [index, token] of tokens.entries()) {
    checkText(token, 1000, what)
    if (!token.startsWith('-')) continue
    const name = token.startsWith('--') ? /^--([^=]*)/.exec(token)?.[1] : undefined
    if (name === undefined ? !shortOptions.has(token) : reserved(name)) {
      invalid(`${what}: ${JSON.stringify(token)} is not allowed; only -m and the options of extensions are`)
    }
    if (token === '-m' && !/^[A-Za-z0-9_]{1,28}$/.test(tokens[index + 1] ?? '')) {
      invalid(`${what}: -m needs the name of a match after it, not ${JSON.stringify(tokens[index + 1])}`)
    }
  }
}

const shortOptions = new Set(['-m'])

/** Long options of iptables itself, which getopt_long(3) also accepts as unambiguous prefixes. */
const ownOptions = [
  ...['append', 'delete', 'check', 'insert', 'replace', 'list', 'list-rules', 'flush', 'zero', 'new-chain'],
  ...['delete-chain', 'rename-chain', 'policy', 'source', 'src', 'destination', 'dst', 'protocol', 'proto'],
  ...['in-interface', 'out-interface', 'jump', 'goto', 'table', 'match', 'numeric', 'verbose', 'wait'],
  ...['wait-interval', 'exact', 'fragments', 'version', 'help', 'line-numbers', 'modprobe', 'set-counters'],
  ...['ipv4', 'ipv6', 'noflush', 'counters', 'test', 'dump'],
]

/** Allowed options whose names are prefixes of forbidden options. getopt_long(3) prefers an exact name. */
const extensionOptions = new Set(['set', 'random', 'mode'])

const reserved = (name: string) => !extensionOptions.has(name) && ownOptions.some((option) => option.startsWith(name))
