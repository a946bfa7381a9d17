import { CURRENT_VERSION, goStringify } from '@cni/types'
import type { PluginOutcome } from '../io.ts'
import type { EnvVars } from '../protocol/environment.ts'
import { type Plugin, supportedVersions } from './plugin.ts'

/** Answers a VERSION call, or a user's call, without reading stdin: stdin may never end. */
export function immediateAnswer(plugin: Plugin, env: EnvVars): PluginOutcome | undefined {
  const command = env.CNI_COMMAND ?? ''
  if (command === 'VERSION') return { exitCode: 0, stdout: versionDocument(plugin), stderr: '' }
  if (command === '' && plugin.about) return { exitCode: 0, stdout: '', stderr: aboutText(plugin.about, plugin) }
  return undefined
}

/** Describes the plugin and its CNI versions in two lines, as the Go reference implementation does. */
export function aboutText(about: string, plugin: Plugin): string {
  return `${about}\nCNI protocol versions supported: ${supportedVersions(plugin).join(', ')}\n`
}

function versionDocument(plugin: Plugin): string {
  return `${goStringify({ cniVersion: CURRENT_VERSION, supportedVersions: supportedVersions(plugin) })}\n`
}
