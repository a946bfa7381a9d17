import { existsSync, lstatSync, unlinkSync } from 'node:fs'
import { InstallError, installer } from '@cni/installer'
import { escapeUnsafe, messageOf } from '@cni/types'
import { jsonText } from '../../safe-text.ts'
import { markFileOf, removeWhenOff } from '../ambient/node-level/remove-when-off.ts'
import type { AgentConfig } from '../config/agent-config.ts'
import { keptLines } from '../kept-plugin.ts'
import { removePluginToken } from '../on-cluster/plugin-token.ts'
import { checkLogSocket } from './check-agent.ts'
import { type CommandIo, paint } from './io.ts'

/** Removes the plugin from the node. Refuses while an agent runs. */
export async function uninstall(
  config: AgentConfig,
  { json, force }: { readonly json: boolean; readonly force: boolean },
  io: CommandIo,
): Promise<number> {
  const running = (await checkLogSocket(config.logSocket)).state === 'ok'
  if (running && !force) {
    io.stderr(
      `an agent is running (${config.logSocket} answers) and would install everything again: stop it first, or use --force\n`,
    )
    return 1
  }
  const report = await installer(config.install).uninstall()
  const errors = [...report.errors]
  const changes: { action: string; path: string }[] = [
    ...report.changes,
    ...(errors.length > 0 ? [] : removeToken(config, errors)),
    ...(running ? [] : [config.logSocket, config.serve?.socket].flatMap(removeStaleSocket)),
  ]
  if (!running) changes.push(...(await removeRedirection(config, errors)))
  if (json) {
    const problems = errors.map(({ code, message, path }) => ({ code, path, message }))
    const { kept, needs, moreNeeds } = report
    io.stdout(jsonText({ changes, problems, kept, needs, moreNeeds }))
  } else {
    for (const { action, path } of changes) io.stdout(`${action} ${escapeUnsafe(path)}\n`)
    for (const { message } of errors) io.stderr(`${paint(io, 'red', 'problem')} ${escapeUnsafe(message)}\n`)
    const left = keptLines(report)
    for (const line of left) io.stdout(`${paint(io, 'cyan', 'info')} ${escapeUnsafe(line)}\n`)
    if (changes.length + errors.length + left.length === 0) io.stdout('istio-cni is not installed on this node\n')
  }
  return errors.length > 0 ? 1 : 0
}

/**
 * Removes the file of the plugin's token. The installer has already removed the kubeconfig, which contains the same
 * token.
 */
function removeToken({ pluginToken }: AgentConfig, errors: InstallError[]): { action: 'remove'; path: string }[] {
  if (pluginToken === undefined) return []
  try {
    const path = removePluginToken(pluginToken)
    return path === undefined ? [] : [{ action: 'remove', path }]
  } catch (cause) {
    const { file: path } = pluginToken
    errors.push(new InstallError('IO', `cannot remove ${path}: ${messageOf(cause)}`, { path, cause }))
    return []
  }
}

/** Removes node-level redirection and its mark file, which a killed agent left. */
async function removeRedirection(
  config: AgentConfig,
  errors: InstallError[],
): Promise<{ action: 'remove'; path: string }[]> {
  const path = markFileOf(config)
  if (!existsSync(path)) return []
  const ignored = (): void => {}
  const failed = (text: string): void => void errors.push(new InstallError('IO', text, { path }))
  await removeWhenOff(config, { debug: ignored, info: ignored, warn: ignored, error: failed })
  return existsSync(path) ? [] : [{ action: 'remove', path }]
}

/**
 * Removes the serving socket's file that a killed agent left. Ignores errors, because plugins also work without the
 * agent.
 */
function removeStaleSocket(path: string | undefined): { action: 'remove'; path: string }[] {
  try {
    if (path === undefined || !lstatSync(path).isSocket()) return []
    unlinkSync(path)
    return [{ action: 'remove', path }]
  } catch {
    // Ignores the error, because the file may not exist, and a leftover socket does no harm.
    return []
  }
}
