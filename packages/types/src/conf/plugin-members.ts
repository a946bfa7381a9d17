import { isObject, type JsonObject, kindOf } from '../json/json.ts'

/**
 * What is wrong with the standard members of a plugin's configuration, as `member: expected X, got Y`; `undefined` when
 * all of those that are there have their type. A `null` counts as missing, inside of them too.
 */
export function misfit(conf: JsonObject): string | undefined {
  return misfitOf(conf, { ...FOR_RUNTIMES, ...FOR_PLUGINS })
}

/**
 * The same for the members a runtime looks at. All others are between the network's author and the plugin: one that
 * makes something else of them must not keep a runtime from loading the list, nor every list after it in the folder.
 */
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

const isText = (value: unknown): boolean => typeof value === 'string'
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const text: Rule = ['a string', isText]
const object: Rule = ['an object', isObject]
const attachments: Rule = ['an array of objects', (value) => Array.isArray(value) && value.every(isObject)]

const FOR_RUNTIMES: Rules = {
  cniVersion: text,
  name: text,
  type: text,
  capabilities: ['an object of booleans', isFlags],
  ipam: [
    'an object with a string "type"',
    (value) => isObject(value) && (value.type === undefined || isTextOrNull(value.type)),
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

function isFlags(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((flag) => flag === null || typeof flag === 'boolean')
}

function isDns(value: unknown): boolean {
  if (!isObject(value)) return false
  const { domain = '', ...lists } = value
  const isTexts = (list: unknown): boolean => (Array.isArray(list) ? list.every(isTextOrNull) : list == null)
  return isTextOrNull(domain) && [lists.nameservers, lists.search, lists.options].every(isTexts)
}
