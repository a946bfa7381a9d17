import { type CallContext, fileSink, type LogOptions } from '@cni/skel'

/** Log file of the original plugin. */
export const LOG_FILE = '/var/log/contivk8s.log'

/** The log file that operators of the original know. If the file is not writable, the plugin works without it. */
export const logTo = (path: string): LogOptions => (path === '' ? {} : { sinks: [fileSink({ path })] })

/** Logs the call, and adds the original's field `NETNS` to each line of the call. */
export function announce({ log, env }: CallContext): void {
  log.bind({ NETNS: netnsField(env.CNI_NETNS) })
  log.info('called', { command: env.CNI_COMMAND, args: env.CNI_ARGS ?? '' })
}

/**
 * The log's text for a namespace: the process id of `/proc/PID/ns/net`, any other path unchanged, `EMPTY` without a
 * path.
 */
function netnsField(path = ''): string {
  return /^\/proc\/([^/]*)/.exec(path)?.[1] ?? (path || 'EMPTY')
}
