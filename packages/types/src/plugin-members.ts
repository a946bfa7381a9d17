import { isObject, type JsonObject, kindOf } from './json.ts'

/**
 * What is wrong with the standard members of a plugin's configuration, as `member: expected X, got Y`; `undefined` when
 * all of those that are there have their type. A `null` counts as missing.
 */
export function misfit(conf: JsonObject): string | undefined {
  for (const [member, [expected, fits]] of Object.entries(STANDARD)) {
    const value = conf[member]
    if (value === undefined || value === null || fits(value)) continue
    return `${member}: expected ${expected}, got ${kindOf(value)}`
  }
  return undefined
}

type Rule = readonly [expected: string, fits: (value: unknown) => boolean]

const isText = (value: unknown): boolean => typeof value === 'string'
const text: Rule = ['a string', isText]
const object: Rule = ['an object', isObject]
const attachments: Rule = ['an array of objects', (value) => Array.isArray(value) && value.every(isObject)]

const STANDARD: Readonly<Record<string, Rule>> = {
  cniVersion: text,
  name: text,
  type: text,
  capabilities: ['an object of booleans', isFlags],
  runtimeConfig: object,
  args: object,
  ipMasq: ['a boolean', (value) => typeof value === 'boolean'],
  ipam: [
    'an object with a string "type"',
    (value) => isObject(value) && ['string', 'undefined'].includes(typeof value.type),
  ],
  dns: ['an object of strings and lists of strings', isDns],
  'cni.dev/valid-attachments': attachments,
  'cni.dev/attachments': attachments,
}

function isFlags(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((flag) => typeof flag === 'boolean')
}

function isDns(value: unknown): boolean {
  if (!isObject(value)) return false
  const { domain = '', ...lists } = value
  const isTexts = (list: unknown): boolean => (Array.isArray(list) ? list.every(isText) : list == null)
  return isText(domain) && [lists.nameservers, lists.search, lists.options].every(isTexts)
}
