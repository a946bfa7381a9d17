import { isObject, type JsonObject, kindOf } from '../json/json.ts'

/** Checks the types of a plugin's standard keys. Returns the first problem, if any. */
export function misfit(conf: JsonObject): string | undefined {
  return misfitOf(conf, { ...FOR_RUNTIMES, ...FOR_PLUGINS })
}

/** Ignores the plugin's own keys: a wrong type there must not stop the runtime. */
export function misfitForRuntime(conf: JsonObject): string | undefined {
  return misfitOf(conf, FOR_RUNTIMES)
}

function misfitOf(conf: JsonObject, rules: Rules): string | undefined {
  for (const [member, [expected, fits]] of Object.entries(rules)) {
    const value = conf[member]
    if (value === undefined || value === null || fits(value)) continue
    return `${member}: expected ${expected}, got ${kindOf(value)}`
  }
  return undefined
}

type Rule = readonly [expected: string, fits: (value: unknown) => boolean]
type Rules = Readonly<Record<string, Rule>>

const isString = (value: unknown): boolean => typeof value === 'string'
const isStringOrNull = (value: unknown): boolean => value === null || isString(value)
const text: Rule = ['a string', isString]
const object: Rule = ['an object', isObject]
const attachments: Rule = ['an array of objects', (value) => Array.isArray(value) && value.every(isObject)]

const FOR_RUNTIMES: Rules = {
  cniVersion: text,
  name: text,
  type: text,
  capabilities: ['an object of booleans', areFlags],
  ipam: [
    'an object with a string "type"',
    (value) => isObject(value) && (value.type === undefined || isStringOrNull(value.type)),
  ],
  dns: ['an object of strings and lists of strings', isDns],
  'cni.dev/valid-attachments': attachments,
}

const FOR_PLUGINS: Rules = {
  runtimeConfig: object,
  args: object,
  ipMasq: ['a boolean', (value) => typeof value === 'boolean'],
  'cni.dev/attachments': attachments,
}

function areFlags(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((flag) => flag === null || typeof flag === 'boolean')
}

function isDns(value: unknown): boolean {
  if (!isObject(value)) return false
  const { domain = '', ...lists } = value
  const isStrings = (list: unknown): boolean => (Array.isArray(list) ? list.every(isStringOrNull) : list == null)
  return isStringOrNull(domain) && [lists.nameservers, lists.search, lists.options].every(isStrings)
}
