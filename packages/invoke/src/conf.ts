import { goStringify, isObject, messageOf } from '@cni/types'
import { InvokeError } from './errors.ts'

/** Configuration for a plugin. Text and bytes are passed unchanged. An object is printed as JSON with sorted keys. */
export type PluginInput = string | Uint8Array | Readonly<Record<string, unknown>>

/** Converts a configuration to the bytes or text for the plugin's stdin. */
export function confBytes(conf: PluginInput): string | Uint8Array {
  if (typeof conf === 'string' || conf instanceof Uint8Array) return conf
  return goStringify(conf, { sortKeys: true })
}

/** Text of a plugin configuration that the caller gave as text or bytes; `undefined` for an object. */
export function confText(conf: PluginInput): string | undefined {
  if (typeof conf === 'string') return conf
  return conf instanceof Uint8Array ? new TextDecoder().decode(conf) : undefined
}

/** Parses a plugin configuration to an object. Throws `INVALID_CONF` if it is not a JSON object. */
export function confObject(plugin: string, conf: PluginInput): Readonly<Record<string, unknown>> {
  const text = confText(conf)
  const document = text === undefined ? conf : parse(plugin, text)
  if (isObject(document)) return document
  throw new InvokeError('INVALID_CONF', plugin, 'the configuration for the plugin is not a JSON object')
}

/** `cniVersion` of a plugin configuration; 0.1.0 if the member is missing. */
export function confVersion(plugin: string, conf: PluginInput): string {
  const { cniVersion } = confObject(plugin, conf)
  return typeof cniVersion === 'string' && cniVersion !== '' ? cniVersion : '0.1.0'
}

function parse(plugin: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = messageOf(cause)
    throw new InvokeError('INVALID_CONF', plugin, `the configuration for the plugin is not JSON: ${why}`, { cause })
  }
}
