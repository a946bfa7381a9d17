import { convertResult, goStringify, isObject, jsonMembers, jsonValue, resultVersion } from '@cni/types'
import { confObject, confText, confVersion, type PluginInput } from './conf.ts'

/** Converts a plugin's configuration to another CNI version. Keeps an invalid `prevResult` unchanged. */
export function confInVersion(plugin: string, conf: PluginInput, version: string): PluginInput {
  const own = confVersion(plugin, conf)
  if (own === version) return conf
  const object = confObject(plugin, conf)
  const changed = { cniVersion: version, ...prevResultIn(object.prevResult, own, version) }
  const text = confText(conf)
  return text === undefined ? { ...object, ...changed } : withMembers(text, changed)
}

function prevResultIn(prevResult: unknown, own: string, version: string): { readonly prevResult?: unknown } {
  if (!isObject(prevResult)) return {}
  try {
    return { prevResult: convertResult(prevResult, resultVersion(prevResult, own), version) }
  } catch {
    return {}
  }
}

/** Replaces members in the text of a JSON object. Inserts missing members at the object's start. */
function withMembers(text: string, members: Readonly<Record<string, unknown>>): string {
  const object = jsonValue(text)
  const there = jsonMembers(text, object)
  const missing = Object.keys(members).filter((name) => !there.some(({ key }) => key === name))
  const written = missing.map((name) => `${goStringify(name)}:${goStringify(members[name])}`).join(',')
  const first = written === '' || there.length === 0 ? written : `${written},`
  let edited = text.slice(0, object.start + 1) + first
  let at = object.start + 1
  for (const { key, value } of there) {
    if (!Object.hasOwn(members, key)) continue
    edited += text.slice(at, value.start) + goStringify(members[key])
    at = value.end
  }
  return edited + text.slice(at)
}
