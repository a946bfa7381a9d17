import { type CallContext, fileSink, type LogOptions } from '@cni/skel'

/** Path of the log file. The original Contiv plugin uses the same path. */
export const LOG_FILE = '/var/log/contivk8s.log'

/**
 * Log options that write to a file. For `''`, the plugin writes no file. If the file is not writable, the plugin works
 * without it.
 */
export const logTo = (path: string): LogOptions => (path === '' ? {} : { sinks: [fileSink({ path })] })

/** Logs a plugin call. Adds the field `NETNS` to each line of the call's log, as the original Contiv plugin does. */
export function announce({ log, env }: CallContext): void {
  log.bind({ NETNS: netnsField(env.CNI_NETNS) })
  log.info('called', { command: env.CNI_COMMAND, args: env.CNI_ARGS ?? '' })
}

/**
 * Value of the log field `NETNS`: the process id from a path `/proc/PID/ns/net`. Any other path is unchanged, and a
 * missing path becomes `EMPTY`.
 */
function netnsField(path = ''): string {
  return /^\/proc\/([^/]*)/.exec(path)?.[1] ?? (path || 'EMPTY')
}
