import { isUsageError, versionText } from '@cni/host/cli'
import { isInstallError } from '@cni/installer'
import { escapeUnsafeLines } from '@cni/types'
import { ISTIO_VERSION } from '../istio-version.ts'
import { runAgent } from './agent.ts'
import { helpText, parseCommandLine } from './command-line.ts'
import { dryRun } from './commands/dry-run.ts'
import { status } from './commands/status.ts'
import { uninstall } from './commands/uninstall.ts'
import { isConfigError } from './config/config-error.ts'
import { loadConfig } from './config/source.ts'
import { agentLog, type LogWriter } from './log/agent-log.ts'

/** Placeholder for the API server's address, because the command `uninstall` sends no requests. */
const NO_SERVER = { KUBERNETES_SERVICE_HOST: 'none', KUBERNETES_SERVICE_PORT: '443' }

/** Streams, environment and Unix signals that `install-cni` gets from its process. */
export interface AgentIo {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** True if the output of `install-cni` may have colours. */
  readonly colour: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /**
   * AbortSignal that aborts when the agent has to stop. A stopping agent uninstalls the plugin if the agent's DaemonSet
   * is gone.
   */
  readonly signal: AbortSignal
  /** Registers a listener for SIGHUP. On SIGHUP, the agent reloads its configuration. */
  readonly onHangup: (listener: () => void) => void
  /** Extends the usual deadline for stopping the agent by `ms` milliseconds. */
  readonly needTime: (ms: number) => void
  /** Opens a target of the agent's log: `stdout`, `stderr` or a file. */
  readonly openLog: (target: string) => LogWriter
}

/** Runs the program `install-cni` with its command-line arguments. Resolves with the exit code. */
export async function runInstallCni(argv: readonly string[], io: AgentIo): Promise<number> {
  try {
    const { command, dryRun: isDry, json, force, configDir, settings } = parseCommandLine(argv)
    const source = { flags: settings, configDir, env: io.env }
    switch (command) {
      case 'help':
        io.stdout(helpText(io.colour))
        return 0
      case 'version':
        io.stdout(versionText('install-cni', `with the settings of Istio ${ISTIO_VERSION}`))
        return 0
      case 'status':
        return await status(loadConfig(source), json, io)
      case 'uninstall':
        return await uninstall(loadConfig({ ...source, env: { ...NO_SERVER, ...io.env } }), { json, force }, io)
      case 'run': {
        if (isDry) return await dryRun(loadConfig(source), json, io)
        const { signal, onHangup, needTime } = io
        await runAgent({ source, log: agentLog(io.openLog), signal, onHangup, needTime })
        return 0
      }
    }
  } catch (error) {
    const expected = isUsageError(error) || isConfigError(error) || isInstallError(error)
    const text = error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error)
    io.stderr(`install-cni: ${escapeUnsafeLines(text)}\n`)
    if (!isUsageError(error)) return 1
    io.stderr('Try: install-cni --help\n')
    return 2
  }
}
