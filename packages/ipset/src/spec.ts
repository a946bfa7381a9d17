import { invalid } from './errors.ts'
import type { SetSpec } from './spec-types.ts'
import { checkInteger, checkTimeout } from './values.ts'

/** Maximum number of entries in a set. */
export const maxelemOf = (spec: SetSpec): number =>
  spec.type === 'bitmap:port' || spec.type === 'list:set' ? Number.POSITIVE_INFINITY : (spec.maxelem ?? 65536)

/** First and last port that a set of the type `bitmap:port` can hold. */
export const rangeOf = (spec: Extract<SetSpec, { readonly type: 'bitmap:port' }>): readonly [number, number] =>
  spec.range ?? [0, 65535]

/** Validates the spec of a set, which may come from JavaScript without type checks. Returns a frozen copy. */
export function checkSpec<S extends SetSpec>(name: string, spec: S): S {
  const what = `set ${name}`
  const given: unknown = spec
  if (typeof given !== 'object' || given === null)
    invalid(`${what}: a spec such as { type: 'hash:ip', family: 'ipv4' } is needed`)
  const known = isSetType(spec.type) ? members[spec.type] : undefined
  if (known === undefined) {
    invalid(`${what}: the type ${JSON.stringify(spec.type)} is not one of ${Object.keys(members).join(', ')}`)
  }
  for (const [key, value] of Object.entries(spec)) {
    if (value !== undefined && !known.includes(key))
      invalid(`${what}: a ${spec.type} set has no option ${JSON.stringify(key)}`)
  }
  for (const flag of ['comment', 'counters'] as const) {
    if (spec[flag] !== undefined && typeof spec[flag] !== 'boolean') invalid(`${what}: ${flag} must be true or false`)
  }
  if (spec.timeoutSeconds !== undefined) checkTimeout(spec.timeoutSeconds, `${what}: timeoutSeconds`)
  checkMembers(spec, what)
  const copy = { ...spec }
  Object.freeze(copy)
  return copy
}

/** Options of a set as words of the line `create NAME TYPE …`, in the order of `ipset save`. */
export function createOptions(spec: SetSpec): string {
  const words: (string | number)[] = [spec.type]
  if (spec.type === 'bitmap:port') words.push('range', rangeOf(spec).join('-'))
  else if (spec.type === 'list:set') words.push('size', spec.size ?? 8)
  else {
    if (spec.type !== 'hash:mac') words.push('family', spec.family === 'ipv4' ? 'inet' : 'inet6')
    if (spec.hashsize !== undefined) words.push('hashsize', spec.hashsize)
    words.push('maxelem', maxelemOf(spec))
  }
  if (spec.timeoutSeconds !== undefined) words.push('timeout', spec.timeoutSeconds)
  if (spec.counters === true) words.push('counters')
  if (spec.comment === true) words.push('comment')
  return words.join(' ')
}

// internal

const common = ['type', 'comment', 'counters', 'timeoutSeconds']
const hash = [...common, 'maxelem', 'hashsize']
const members: Readonly<Record<SetSpec['type'], readonly string[]>> = {
  'hash:ip': [...hash, 'family'],
  'hash:net': [...hash, 'family'],
  'hash:ip,port': [...hash, 'family'],
  'hash:net,port': [...hash, 'family'],
  'hash:mac': hash,
  'list:set': [...common, 'size'],
  'bitmap:port': [...common, 'range'],
}

const isSetType = (type: string): type is SetSpec['type'] => Object.hasOwn(members, type)

function checkMembers(spec: SetSpec, what: string): void {
  if (spec.type === 'bitmap:port') {
    const [from, to] = rangeOf(spec)
    checkInteger(from, 0, 65535, `${what}: range`)
    checkInteger(to, from, 65535, `${what}: range`)
  } else if (spec.type === 'list:set') {
    if (spec.size !== undefined) checkInteger(spec.size, 1, 65535, `${what}: size`)
  } else {
    if (spec.type !== 'hash:mac' && spec.family !== 'ipv4' && spec.family !== 'ipv6') {
      invalid(`${what}: the family ${JSON.stringify(spec.family)} is neither 'ipv4' nor 'ipv6'; a set holds one`)
    }
    if (spec.maxelem !== undefined) checkInteger(spec.maxelem, 1, 0xffffffff, `${what}: maxelem`)
    // Limits the hash size, because a larger hash table would at once exhaust the memory of the kernel.
    if (spec.hashsize !== undefined) checkInteger(spec.hashsize, 1, 1 << 24, `${what}: hashsize`)
  }
}
