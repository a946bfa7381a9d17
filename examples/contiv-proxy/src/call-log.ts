import { type CallContext, fileSink, type LogOptions } from '@cni/skel'

/** Path of the log file. The original Contiv plugin uses the same path. */
export const LOG_FILE = '/var/log/contivk8s.log'

/** Log options for a file. The plugin also works if the file is not writable. */
export const logTo = (path: string): LogOptions => (path === '' ? {} : { sinks: [fileSink({ path })] })

/** Logs a plugin call. Adds the field `NETNS` to all log lines of the call, as the original plugin does. */
export function announce({ log, env }: CallContext): void {
  log.bind({ NETNS: netnsField(env.CNI_NETNS) })
  log.info('called', { command: env.CNI_COMMAND, args: env.CNI_ARGS ?? '' })
}

/** Value of the log field `NETNS`: the process id, or the unchanged path. */
function netnsField(path = ''): string {
  return /^\/proc\/([^/]*)/.exec(path)?.[1] ?? (path || 'EMPTY')
}
