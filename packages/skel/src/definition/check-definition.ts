import { suggestion } from '@cni/host/similar'
import { CNI_VERSIONS, isCniVersion, isObject } from '@cni/types'
import { checkMilliseconds, unexpected } from '../checks.ts'

/** Checks a plugin definition at runtime, including rules that types cannot express. */
export function checkDefinition(plugin: unknown): void {
  if (!isObject(plugin)) throw unexpected('definePlugin', 'a plugin', plugin)
  const { name, versions, timeout, config, state, args, removal } = plugin
  checkName(name)
  const at = (member: string): string => `definePlugin: ${name}: ${member}`
  if (typeof plugin.add !== 'function') throw unexpected(at('add'), 'a function', plugin.add)
  for (const member of FUNCTIONS) checkType(at, member, plugin[member], 'function')
  for (const member of FLAGS) checkType(at, member, plugin[member], 'boolean')
  for (const member of LINES) checkLine(at, member, plugin[member])
  if (versions !== undefined) checkVersions(at('versions'), versions)
  if (timeout !== undefined) checkMilliseconds(at('timeout'), timeout)
  if (config !== undefined && !isSchema(config)) throw unexpected(at('config'), 'a zod 4 schema', config)
  if (state !== undefined && !(isObject(state) && typeof state.open === 'function')) {
    throw unexpected(at('state'), 'attachmentState(…)', state)
  }
  if (args !== undefined) checkArgs(at('args'), args)
  if (removal !== undefined && !REMOVALS.includes(removal))
    throw unexpected(at('removal'), 'last, own or always', removal)
  checkMembers(plugin, at)
}

/** True for a schema of zod 4. Schemas of zod 3 and other libraries report too little about errors. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value
}

const FUNCTIONS = ['check', 'del', 'gc', 'status', 'log']
const FLAGS = ['chained', 'goCompat']
const LINES = ['about', 'release']
const REMOVALS: readonly unknown[] = ['last', 'own', 'always']
const MEMBERS = [
  'name',
  ...LINES,
  'versions',
  'timeout',
  'config',
  'state',
  'args',
  'removal',
  'add',
  ...FUNCTIONS,
  ...FLAGS,
]

/** Builds the beginning of an error message about a member of the plugin definition. */
type At = (member: string) => string

function checkType(at: At, member: string, value: unknown, type: 'function' | 'boolean'): void {
  if (value !== undefined && typeof value !== type) throw unexpected(at(member), `a ${type}`, value)
}

function checkName(name: unknown): void {
  if (typeof name !== 'string') throw unexpected('definePlugin: name', 'a string', name)
  // The name is a file name in the plugin folders and the `type` in a configuration.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  if (name !== '' && name !== '.' && name !== '..' && !/[\s/\0-\x1f\x7f]/.test(name)) return
  throw unexpected('definePlugin: name', 'the name of an executable', name)
}

function checkLine(at: At, member: string, value: unknown): void {
  if (value === undefined) return
  if (typeof value !== 'string') throw unexpected(at(member), 'a string', value)
  if (/[\r\n\u2028\u2029]/.test(value)) throw unexpected(at(member), 'one line', value)
}

function checkVersions(what: string, value: unknown): void {
  if (!Array.isArray(value)) throw unexpected(what, 'a list of versions', value)
  if (value.length === 0) throw new TypeError(`${what}: expected at least one of ${CNI_VERSIONS.join(', ')}`)
  for (const [index, version] of value.entries()) {
    if (!isCniVersion(version)) throw unexpected(what, `some of ${CNI_VERSIONS.join(', ')}`, version)
    if (value.indexOf(version) !== index) throw unexpected(what, 'each version once', version)
  }
}

function checkArgs(what: string, value: unknown): void {
  if (value === 'tolerant' || value === 'strict') return
  if (!isObject(value)) throw unexpected(what, 'tolerant, strict or the kinds of more keys', value)
  for (const [key, kind] of Object.entries(value)) {
    if (kind === 'string' || kind === 'ip' || kind === 'boolean') continue
    throw unexpected(`${what}.${key}`, 'string, ip or boolean', kind)
  }
}

/** Rejects unknown members, because a misspelt handler would never be called. */
function checkMembers(plugin: object, at: At): void {
  const prototype: unknown = Object.getPrototypeOf(plugin)
  if (prototype !== Object.prototype && prototype !== null) return
  for (const member of Object.keys(plugin)) {
    if (MEMBERS.includes(member)) continue
    const hint = suggestion(member, MEMBERS) || `: ${MEMBERS.join(', ')}`
    throw new TypeError(`${at(member)} is not a member of a plugin${hint}`)
  }
}
