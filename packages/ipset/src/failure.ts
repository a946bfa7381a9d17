import type { RunError } from '@cni/host'
import { SetError } from './errors.ts'

/** Converts the failure of the program `ipset` to a `SetError` for users. */
export function failure(error: RunError, command: string, input = ''): SetError {
  const details = { cause: error, stderr: error.stderr }
  if (error.code === 'NOT_FOUND' || error.code === 'NOT_EXECUTABLE') return noBinary(details)
  if (error.code === 'ABORTED' || error.code === 'TIMEOUT') {
    const why = error.code === 'ABORTED' ? 'was aborted' : `did not end within ${Math.round(error.durationMs)} ms`
    return new SetError(error.code, `${command} ${why}`, details)
  }
  if (error.code !== 'EXIT') return new SetError('EXIT', error.message, details)
  const line = /Error in line (\d+): /.exec(error.stderr)?.[1]
  const refused = line === undefined ? '' : ` at line ${line} (${JSON.stringify(input.split('\n')[Number(line) - 1])})`
  const message = error.stderr.replace(/^(ipset v\S+: )?(Error in line \d+: )?/, '').split('\n', 1)[0] ?? ''
  const [code, hint] = meaning(message)
  return new SetError(code, `${command} failed${refused}: ${message}${hint && `; ${hint}`}`, details)
}

/** Error for a machine on which the program `ipset` is not installed. */
export const noBinary = (options: { cause?: unknown } = {}): SetError =>
  new SetError('NO_BINARY', 'ipset is not installed; install the package ipset', options)

// internal

function meaning(message: string): [SetError['code'], string] {
  for (const [pattern, code, hint] of meanings) if (pattern.test(message)) return [code, hint]
  return ['EXIT', '']
}

/** Untranslated error messages of `ipset` 6 and 7, each with its `SetError` code. */
const meanings: readonly (readonly [RegExp, SetError['code'], string])[] = [
  [
    /set with the same name already exists/,
    'EXISTS',
    'the existing set has other options; destroy it first, or replace it',
  ],
  [/already exists|already added/, 'EXISTS', ''],
  [/does not exist|not added/, 'NOT_FOUND', ''],
  [/in use/, 'IN_USE', 'remove the rules and sets that refer to it first'],
  [/is full/, 'FULL', 'raise maxelem'],
  [/maximal number of sets/, 'FULL', 'the kernel has no room for another set'],
  [/type not supported/, 'NO_KERNEL', 'the kernel lacks the module of this type of set, or the module is too old'],
  [/Cannot open session|protocol version|Protocol not supported/, 'NO_KERNEL', 'load the kernel module ip_set'],
  [/Operation not permitted/, 'EXIT', 'CAP_NET_ADMIN in the namespace is needed'],
  [
    /Syntax error|out of (the )?range|type does not match|cannot be used|cannot be stored|CIDR|cannot be added/,
    'INVALID',
    '',
  ],
]
