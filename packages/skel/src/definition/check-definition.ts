import { CNI_VERSIONS, isCniVersion } from '@cni/types'
import { checkMilliseconds, shown, unexpected } from './checks.ts'

/**
 * Checks what types say of a plugin, and what they cannot say.
 *
 * @throws TypeError that names the plugin, the member, what is expected of it and what it is.
 */
export function checkDefinition(plugin: unknown): void {
  if (typeof plugin !== 'object' || plugin === null) throw unexpected('definePlugin', 'a plugin', plugin)
  const members = new Map<string, unknown>([...CHECKS.keys()].map((member) => [member, Reflect.get(plugin, member)]))
  checkName(members.get('name'))
  const where = `definePlugin: ${members.get('name')}`
  for (const [member, check] of CHECKS) {
    const value = members.get(member)
    if (value === undefined && member !== 'add') continue
    const problem = check(value, `${where}: ${member}`)
    if (problem !== undefined) throw new TypeError(`${where}: ${member}${problem}`)
  }
  checkMembers(plugin, where)
}

/** Whether a value can check a configuration: older versions of zod and other libraries say less of what is wrong. */
export function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** What is wrong with a member, from the colon on; `undefined` when nothing is. */
type Check = (value: unknown, where: string) => string | undefined

const expected = (what: string, value: unknown): string => `: expected ${what}, got ${shown(value)}`

const aFunction: Check = (value) => (typeof value === 'function' ? undefined : expected('a function', value))
const aBoolean: Check = (value) => (typeof value === 'boolean' ? undefined : expected('a boolean', value))

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['name', () => undefined],
  ['about', about],
  ['release', about],
  ['versions', versions],
  ['chained', aBoolean],
  ['timeout', (value, where) => void checkMilliseconds(where, value)],
  ['config', config],
  ['args', args],
  ['goCompat', aBoolean],
  ['log', aFunction],
  ['add', aFunction],
  ['check', aFunction],
  ['del', aFunction],
  ['gc', aFunction],
  ['status', aFunction],
])

const KINDS = ['string', 'ip', 'boolean']

function checkName(name: unknown): void {
  if (typeof name !== 'string') throw unexpected('definePlugin: name', 'a string', name)
  // What a runtime looks up in its folders; `type` of a configuration.
  if (/^[^/\s\p{Cc}]+$/u.test(name) && name !== '.' && name !== '..') return
  throw unexpected('definePlugin: name', 'the name of an executable', name)
}

function about(value: unknown): string | undefined {
  if (typeof value !== 'string') return expected('a string', value)
  return /[\r\n\u2028\u2029]/.test(value) ? expected('one line', value) : undefined
}

function versions(value: unknown): string | undefined {
  const known = CNI_VERSIONS.join(', ')
  if (!Array.isArray(value)) return expected('a list of versions', value)
  if (value.length === 0) return `: expected at least one of ${known}`
  const other: unknown = value.find((version) => !isCniVersion(version))
  if (other !== undefined) return expected(`some of ${known}`, other)
  const twice: unknown = value.find((version, index) => value.indexOf(version) !== index)
  return twice === undefined ? undefined : `${expected('each version once', twice)} again`
}

function config(value: unknown): string | undefined {
  if (typeof value === 'function' || isSchema(value)) return undefined
  return expected('a zod 4 schema or a function that makes one', value)
}

function args(value: unknown): string | undefined {
  if (value === 'tolerant' || value === 'strict') return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return expected('tolerant, strict or the kinds of more keys', value)
  }
  for (const [key, kind] of Object.entries(value)) {
    if (!KINDS.includes(kind)) return `.${key}${expected('string, ip or boolean', kind)}`
  }
  return undefined
}

/** A handler under another name would never be called. What a class keeps besides is its own affair. */
function checkMembers(plugin: object, where: string): void {
  const prototype: unknown = Object.getPrototypeOf(plugin)
  if (prototype !== Object.prototype && prototype !== null) return
  const other = Object.keys(plugin).find((member) => !CHECKS.has(member))
  if (other === undefined) return
  const written = other.toLowerCase()
  const known = [...CHECKS.keys()]
  const near = known.find((member) => written.startsWith(member) || member.startsWith(written))
  const hint = near === undefined ? `: ${known.join(', ')}` : `, did you mean ${near}?`
  throw new TypeError(`${where}: ${other} is no member of a plugin${hint}`)
}
