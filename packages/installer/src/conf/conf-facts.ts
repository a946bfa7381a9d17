import {
  assertConflistDocument,
  assertPluginConf,
  foldMembers,
  isObject,
  type JsonObject,
  messageOf,
  parseJson,
} from '@cni/types'
import { isTooDeep, TOO_DEEP } from './too-deep.ts'

/** What a configuration file says, whatever the others in its folder are. */
export interface ConfFacts {
  /** The types of its own plugins, in order. */
  readonly types: readonly string[]
  /** Why runtimes skip it. */
  readonly problem?: string
  /** The problem is the file, and not what is in it. */
  readonly isUnreadable?: boolean
  /** The folder next to it whose `.conf` files runtimes add to it. */
  readonly folder?: string
}

/** What the text of a `.conf` or `.conflist` file says. */
export function confFacts(name: string, bytes: Uint8Array): ConfFacts {
  const isList = name.endsWith('.conflist')
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    if (isTooDeep(text)) throw new Error(TOO_DEEP)
    const value = parseJson(text, isList ? 'error parsing configuration list' : 'error parsing configuration')
    return isList ? listFacts(value) : { types: [typeOf(value)] }
  } catch (error) {
    return { types: [], problem: messageOf(error) }
  }
}

function listFacts(value: unknown): ConfFacts {
  const list = foldPlugins(value)
  assertConflistDocument(list)
  const types = (list.plugins ?? []).map((plugin) => plugin.type)
  if (/^true$/i.test(String(list.loadOnlyInlinedPlugins ?? ''))) return { types }
  const isFolder = /^[^/\0]+$/.test(list.name) && list.name !== '.' && list.name !== '..'
  return isFolder ? { types, folder: list.name } : { types }
}

function typeOf(value: unknown): string {
  const conf: unknown = isObject(value) ? foldMembers(value, ['type']) : value
  assertPluginConf(conf, 'error parsing configuration')
  return conf.type
}

/** Go finds `type` in any case, as runtimes do; it is the only member where that matters here. */
function foldPlugins(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.plugins)) return value
  const folded: JsonObject = {
    ...value,
    plugins: value.plugins.map((plugin) => (isObject(plugin) ? foldMembers(plugin, ['type']) : plugin)),
  }
  return folded
}
