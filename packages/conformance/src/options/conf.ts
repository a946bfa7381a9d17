import { readFileSync } from 'node:fs'
import { isObject, type JsonObject, messageOf, parseConflist, parseJson } from '@cni/types'
import { ConformanceError } from '../errors.ts'

/** Loads the configuration of the tested plugin. Takes the plugin's entry from a configuration list. */
export function confOf(given: string | JsonObject | undefined, type: string): JsonObject {
  if (given === undefined) return {}
  const conf = typeof given === 'string' ? readConf(given) : given
  if (!Array.isArray(conf.plugins)) return conf
  const own = conf.plugins.find((each) => isObject(each) && each.type === type)
  if (!isObject(own)) {
    throw new ConformanceError('INVALID_CONFIG', `The configuration list has no plugin of type ${JSON.stringify(type)}`)
  }
  const { name } = conf
  const cniVersion = versionOf(conf)
  return { ...own, ...(name === undefined ? {} : { name }), ...(cniVersion === undefined ? {} : { cniVersion }) }
}

function versionOf(list: JsonObject): unknown {
  if (list.cniVersions === undefined) return list.cniVersion
  try {
    return parseConflist(JSON.stringify(list)).cniVersion
  } catch (cause) {
    throw invalid(cause)
  }
}

function readConf(file: string): JsonObject {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const why = messageOf(cause)
    throw new ConformanceError('NO_CONFIG', `Could not read the configuration: ${why}`, { cause })
  }
  let conf: unknown
  try {
    conf = parseJson(text, file)
  } catch (cause) {
    throw invalid(cause)
  }
  if (!isObject(conf)) throw new ConformanceError('INVALID_CONFIG', `${file}: expected a JSON object`)
  return conf
}

function invalid(cause: unknown): ConformanceError {
  return new ConformanceError('INVALID_CONFIG', messageOf(cause), { cause })
}
